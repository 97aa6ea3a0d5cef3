"""The OSMorphing program: find the installation, mount it, prepare it by family, unmount."""
