import { canRun } from '../../scripts/test/needs.ts';
import { startDataDiskVm } from './data-disk-vm.ts';
import { startSourceVm } from './source-vm.ts';

/** The source VM that can be built here: an installed Debian as root with namespaces, one with a data disk otherwise. */
export const usualSourceVm = canRun('root', 'namespaces')
  ? { about: 'an installed Debian that boots from its disk', start: startSourceVm }
  : {
      about: 'a small Linux in memory with a data disk of ext4 (an installed Debian is built as root only)',
      start: startDataDiskVm,
    };
