"""Prepares a guest's installation for its new platform. Runs on the OSMorphing worker as root; Python 3.6 or later."""

import sys

from causeway_osmorphing.cli import main

if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
