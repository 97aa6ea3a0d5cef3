import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kill, spawnBound } from './child-process.ts';

const files = (kind: string) => ({
  code: `/usr/share/OVMF/OVMF_CODE_4M${kind}.fd`,
  emptyVariables: `/usr/share/OVMF/OVMF_VARS_4M${kind}.fd`,
});
const plain = files('');
/** Enforces secure boot, with the keys that machines are sold with. */
const secure = files('.ms');
/** The machine whose firmware is the only one to write to its variables. */
export const secureMachine = 'q35,smm=on';

/** Arguments of the emulator for UEFI firmware whose variables (its list of what to boot among them) are in a file that it writes to. */
export function firmwareArguments(variables: string, isSecure = false): string[] {
  return [
    ...(isSecure
      ? ['-global', 'driver=cfi.pflash01,property=secure,value=on', '-global', 'ICH9-LPC.disable_s3=1']
      : []),
    '-drive',
    `if=pflash,unit=0,format=raw,readonly=on,file=${(isSecure ? secure : plain).code}`,
    '-drive',
    `if=pflash,unit=1,format=raw,file=${variables}`,
  ];
}

/** Variables of firmware that was never started: it knows of nothing to boot. */
export async function makeEmptyVariables(path: string, isSecure = false): Promise<void> {
  try {
    await copyFile((isSecure ? secure : plain).emptyVariables, path);
  } catch (error) {
    throw new Error('a machine with UEFI firmware needs the Debian package ovmf', { cause: error });
  }
}

/**
 * Variables of firmware that has an entry for a loader on a disk's EFI system partition: made by the firmware's own shell, as
 * an installer makes it.
 * @param loader with backslashes, from the partition's root
 */
export async function makeVariablesWithEntry(
  path: string,
  disk: string,
  loader: string,
  folder: string,
): Promise<void> {
  await makeEmptyVariables(path);
  const scripts = join(folder, 'scripts');
  await mkdir(scripts);
  await writeFile(
    join(scripts, 'startup.nsh'),
    [
      '@echo -off',
      'for %i in 0 1 2 3 4',
      `  if exist fs%i:${loader} then`,
      `    bcfg boot addp 0 fs%i:${loader} "installed"`,
      '    reset -s',
      '  endif',
      'endfor',
      'echo no such loader',
      '',
    ].join('\r\n'),
  );
  const serialLog = join(folder, 'firmware.log');
  const child = spawnBound(
    'qemu-system-x86_64',
    [
      '-no-user-config',
      '-nodefaults',
      '-machine',
      'pc',
      '-accel',
      'tcg',
      '-m',
      '256',
      '-display',
      'none',
      '-no-reboot',
      '-serial',
      `file:${serialLog}`,
      ...firmwareArguments(path),
      '-device',
      'ahci,id=ahci0',
      '-drive',
      `file=${disk},format=raw,if=none,id=disk0,snapshot=on`,
      '-device',
      'ide-hd,bus=ahci0.0,drive=disk0',
      '-drive',
      `file=fat:${scripts},format=raw,if=none,id=scripts,readonly=on`,
      '-device',
      'virtio-blk-pci,drive=scripts',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const late = setTimeout(() => void kill(child), 180_000);
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  clearTimeout(late);
  if (exitCode !== 0)
    throw new Error(`the firmware made no entry: ${(await readFile(serialLog, 'latin1').catch(() => '')).slice(-600)}`);
}
