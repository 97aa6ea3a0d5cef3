import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultProgramFolder } from '../program-archive.ts';

/** Scripts that run on a Windows worker, or (`first-boot-*`) in a prepared guest. */
export type PowershellFile =
  | 'first-boot-network'
  | 'first-boot-network-profile'
  | 'first-boot-drivers'
  | 'first-boot-source-tools'
  | 'first-boot-hyperv'
  | 'first-boot-old-cards'
  | 'first-boot-packages'
  | 'first-boot-clock'
  | 'first-boot-crashes'
  | 'first-boot-runner'
  | 'open-guest'
  | 'read-interfaces'
  | 'read-old-platform'
  | 'lay-down-package'
  | 'add-drivers'
  | 'ensure-loader'
  | 'install-agent'
  | 'write-files'
  | 'run-script'
  | 'close-guest'
  | 'worker-functions';

/** The text of a script that comes with Causeway. */
export function powershellFile(name: PowershellFile, programFolder: string = defaultProgramFolder()): Promise<string> {
  return readFile(join(programFolder, 'windows', `${name}.ps1`), 'utf8');
}
