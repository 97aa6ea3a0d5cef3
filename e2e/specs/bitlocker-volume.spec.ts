import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultProgramFolder } from '../../electron/engine/osmorphing/program-archive.ts';
import { run } from '../rigs/machines/child-process.ts';
import { encryptAsBitLocker, recoveryKeyOf } from '../rigs/windows/bitlocker.ts';

const size = 12 * 2 ** 20;
const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
const [key, another] = [recoveryKeyOf('causeway'), recoveryKeyOf('another')];

/**
 * Tries the preparation's own functions on images. This kernel need not have a device mapper: the program only checks the key, and the opened volume is
 * taken to be there.
 */
const attempt = `
import base64, json, sys
from causeway_osmorphing import bitlocker, protocol
from causeway_osmorphing.block_devices import BlockDevice
from causeway_osmorphing.command import run
from causeway_osmorphing.protocol import MorphError
from causeway_osmorphing.windows.commands import _choose

class Undo(object):
    def will(self, undo, **fields):
        pass
    def undo_last(self):
        pass

asked = json.load(sys.stdin)
said = []
protocol.emit = lambda kind, **fields: said.append([kind, fields.get('message', fields.get('line'))])
bitlocker.run = lambda args, **more: run(args[:4] + ['--test-passphrase'] + args[4:] if args[:2] == ['cryptsetup', 'open'] else args, **more)
BlockDevice.probe = lambda self: self
device = BlockDevice(asked['image'], 'partition', disk=0, number=2)
device.properties = {'TYPE': 'BitLocker'}
keys = [{'key': base64.b64encode(one.encode()).decode()} for one in asked['keys']]
opened = bitlocker.open_volumes([device], keys, Undo(), asked['readOnly'])
try:
    _choose([], None, [device] + opened, keys)
except MorphError as error:
    refused = [error.code, error.message]
print(json.dumps({'opened': [one.path for one in opened], 'suspended': bitlocker.is_suspended(device), 'identities': bitlocker.identities(device), 'refused': refused, 'said': said}))
`;

interface Outcome {
  readonly opened: readonly string[];
  readonly suspended: boolean;
  readonly identities: readonly string[];
  readonly refused: readonly [code: string, message: string];
  readonly said: readonly (readonly [kind: string, message: string])[];
}

describe('a volume that BitLocker encrypts, and the program that opens it', () => {
  let folder: string;
  let volume: string;
  let suspended: string;
  let volumeKey: Buffer;

  async function image(name: string, options?: { readonly isSuspended: boolean }): Promise<[string, Buffer]> {
    const made = join(folder, name);
    await writeFile(made, '');
    await truncate(made, size);
    return [made, await encryptAsBitLocker(made, 0, size, key, options)];
  }

  function attempted(of: string, keys: readonly string[], readOnly = false): Outcome {
    const { stdout, stderr, status } = spawnSync('python3', ['-c', attempt], {
      cwd: defaultProgramFolder(), env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }, encoding: 'utf8', input: JSON.stringify({ image: of, keys, readOnly }),
    });
    expect(status, stderr).toBe(0);
    return JSON.parse(stdout) as Outcome;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-bitlocker-'));
    [volume, volumeKey] = await image('volume.raw');
    [suspended] = await image('suspended.raw', { isSuspended: true });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is one to the real program, which finds the key of its sectors by the recovery key', async () => {
    expect(await run('sh', ['-c', 'PATH="$1" blkid -p -s TYPE -o value "$2"', 'sh', path, volume])).toContain('BitLocker');
    const keyFile = join(folder, 'key');
    await writeFile(keyFile, key);
    const told = await run('sh', ['-c', 'PATH="$1" cryptsetup bitlkDump --batch-mode --dump-volume-key --key-file "$2" "$3"', 'sh', path, keyFile, volume]);
    expect(told.replaceAll(/\s/g, '')).toContain(`MKdump:${volumeKey.toString('hex')}`);
  });

  it('is opened with its recovery key, however people write it, and by no other', () => {
    for (const [keys, readOnly] of [[[another, key], false], [[key.replaceAll('-', '')], true], [[`${key.replaceAll('-', ' ')}\r\n`], false]] as const) {
      const outcome = attempted(volume, keys, readOnly);
      expect(outcome.opened).toEqual(['/dev/mapper/causeway-bitlocker-volume-raw']);
      expect(outcome.said).toEqual([['log', expect.stringContaining('was opened') as string]]);
    }
    expect(attempted(volume, [another])).toMatchObject({ opened: [], suspended: false, refused: ['osmorphing.locked', expect.stringContaining('none of the keys opens it')], said: [] });
    expect(attempted(volume, [])).toMatchObject({ opened: [], refused: ['osmorphing.locked', expect.stringContaining('no recovery key was given')] });
  });

  it('is known by the identifier that Windows shows', () => {
    expect(attempted(volume, []).identities).toEqual([volume.toLowerCase(), expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)]);
  });

  it('is refused while its protection is suspended, with what to do', () => {
    const outcome = attempted(suspended, [key]);
    expect(outcome).toMatchObject({ opened: [], suspended: true, refused: ['osmorphing.locked', expect.stringContaining('resume it on the source')] });
    expect(JSON.stringify(outcome)).not.toContain(key.slice(0, 14));
  });
});
