# Sourced by the build scripts. Prints the `deb` lines of the package sources that this machine's own apt uses, so that
# no mirror is ever written down here, and exports the release's code name.
SUITE=$(. /etc/os-release && echo "$VERSION_CODENAME")
export SUITE
apt_sources() {
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' \
    | grep -E " $SUITE(-updates|-security)? main$" | sort -u
}
