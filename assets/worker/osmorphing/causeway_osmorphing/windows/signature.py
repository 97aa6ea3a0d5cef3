"""Whether Windows will load a driver: by who signed its catalog, and by what it needs to check that."""

# Signers that Windows accepts only when it was told to start with tests: certificates that its driver kit makes, and the one with
# which the public driver disc signs for Windows 8 to Server 2012 R2 since 2022. (That organization, as certificates have it.)
_TESTS = ('WDKTestCert', '\x06\x03\x55\x04\x0a\x13\x0avirtio-win')
# Whoever else signed before, these are loaded.
_TRUSTED = b'Microsoft Windows Hardware Compatibility'
# Identifier of SHA-256, as certificates and catalogs have it.
_SHA256 = bytes((0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01))
_SHA1 = bytes((0x2B, 0x0E, 0x03, 0x02, 0x1A))
# Updates with which Windows 7 and Server 2008 R2 know SHA-2; monthly rollups hold them too.
_UPDATES = ('package_for_kb3033929', 'package_for_kb4474419', 'package_for_rollupfix', 'package_1_for_kb3033929', 'package_1_for_kb4474419')
_PACKAGES = 'Windows/servicing/Packages'


def objection(driver, installation):
    """Why Windows would not load a driver, as text; None when nothing is known against it."""
    catalogs = [content for name, (_, content) in sorted(driver.files.items()) if name.endswith('.cat')]
    if not catalogs or installation.architecture == 'i386':
        # Only 64-bit Windows insists.
        return None
    for mark in _TESTS:
        forms = (mark.encode('ascii'), mark.encode('utf-16-be'))
        if any(form in catalog and _TRUSTED not in catalog for catalog in catalogs for form in forms):
            return 'it is signed for tests (%s)' % mark.split('\x0a')[-1]
    needs_update = installation.version[:2] == (6, 1) and any(_SHA256 in catalog and _SHA1 not in catalog for catalog in catalogs)
    if needs_update and not any(name.lower().startswith(_UPDATES) for name in installation.tree.names(_PACKAGES)):
        return 'it is signed with SHA-2, which this Windows knows only with the update KB4474419 or KB3033929'
    return None
