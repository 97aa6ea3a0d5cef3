import { startDataDiskVm } from './data-disk-vm.ts';
import { startSourceVm } from './source-vm.ts';

/** The source VM that this user can build: an installed Debian as root, one with a data disk otherwise. */
export const usualSourceVm =
  process.geteuid?.() === 0
    ? { about: 'an installed Debian that boots from its disk', start: startSourceVm }
    : {
        about: 'a small Linux in memory with a data disk of ext4 (an installed Debian is built as root only)',
        start: startDataDiskVm,
      };
