"""Prepares a Windows installation from outside, on a Linux worker: its files through ntfs-3g, its registry through hivex."""
