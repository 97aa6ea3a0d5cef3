"""What the programs that build initial RAM disks have in common."""


class Tool(object):
    """One of them, as most are."""

    # Options of /etc/crypttab by which an image unlocks a volume, whatever the tool finds.
    unlocking = ()

    @staticmethod
    def is_told_by_arguments(arguments):
        """Whether the kernel's arguments say what to unlock."""
        return True

    @staticmethod
    def may_unlock(listed):
        """Whether an image has what says which volumes it unlocks, where the arguments do not."""
        return True
