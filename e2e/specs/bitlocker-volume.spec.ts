// needs: python3, cryptsetup-bin, util-linux
import { spawnSync } from 'node:child_process';
import { createDecipheriv } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
from causeway_osmorphing import bitlocker, device_mapper, protocol
from causeway_osmorphing.block_devices import BlockDevice
from causeway_osmorphing.command import Result, run
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
tables = []
def stand_in(args, **more):
    if args[0] == 'dmsetup':
        tables.extend([more['text_input'].decode()] if 'create' in args else [])
        return Result(0, '', '')
    return run(args[:4] + ['--test-passphrase'] + args[4:] if args[:2] == ['cryptsetup', 'open'] else args, **more)
bitlocker.run = device_mapper.run = stand_in
def probe(self):
    self.properties = {'TYPE': 'ntfs'}
    return self
BlockDevice.probe = probe
device = BlockDevice(asked['image'], 'partition', disk=0, number=2)
device.properties = {'TYPE': 'BitLocker'}
keys = [{'key': base64.b64encode(one.encode()).decode()} for one in asked['keys']]
opened = bitlocker.open_volumes([device], keys, Undo(), asked['readOnly'])
opened += bitlocker.open_suspended([device] + opened, Undo(), asked['readOnly'])
for one in opened:
    bitlocker.warn_of_source_keys(one)
try:
    _choose([], None, [device] + opened, keys)
except MorphError as error:
    refused = [error.code, error.message]
print(json.dumps({'opened': [one.path for one in opened], 'suspended': bitlocker.is_suspended(device), 'identities': bitlocker.identities(device), 'refused': refused, 'said': said, 'tables': tables}))
`;

interface Outcome {
  readonly opened: readonly string[];
  readonly suspended: boolean;
  readonly identities: readonly string[];
  readonly refused: readonly [code: string, message: string];
  readonly said: readonly (readonly [kind: string, message: string])[];
  /** What the device mapper was asked for. */
  readonly tables: readonly string[];
}

/** What a table of the device mapper makes of a volume, by the rules of its targets and another implementation of the cipher. */
function mapped(table: string, image: Buffer): Buffer {
  const out: Buffer[] = [];
  for (const line of table.trim().split('\n')) {
    const [first = '', length = '', target, cipher, key = '', iv = '', , offset = ''] = line.split(' ');
    expect(Number(first)).toBe(out.length);
    for (let at = 0; at < Number(length); at += 1) {
      if (target === 'zero') {
        out.push(Buffer.alloc(512));
        continue;
      }
      expect(cipher).toBe('aes-xts-plain64');
      const tweak = Buffer.alloc(16);
      tweak.writeBigUInt64LE(BigInt(Number(iv) + at));
      const from = (Number(offset) + at) * 512;
      out.push(
        createDecipheriv('aes-128-xts', Buffer.from(key, 'hex'), tweak).update(image.subarray(from, from + 512)),
      );
    }
  }
  return Buffer.concat(out);
}

describe('a volume that BitLocker encrypts, and the program that opens it', () => {
  let folder: string;
  let volume: string;
  let suspended: string;
  let volumeKey: Buffer;
  const plain = Buffer.alloc(size);
  for (const at of [0, 3 * 2 ** 20, size - 4096]) Buffer.alloc(4096, `content at ${at}`).copy(plain, at);
  // Its sectors' size, as in every boot sector.
  plain.writeUInt16LE(512, 11);

  async function image(name: string, options?: { readonly isSuspended: boolean }): Promise<[string, Buffer]> {
    const made = join(folder, name);
    await writeFile(made, plain);
    return [made, await encryptAsBitLocker(made, 0, size, key, options)];
  }

  function attempted(of: string, keys: readonly string[], readOnly = false): Outcome {
    const { stdout, stderr, status } = spawnSync('python3', ['-c', attempt], {
      cwd: defaultProgramFolder(),
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
      encoding: 'utf8',
      input: JSON.stringify({ image: of, keys, readOnly }),
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
    expect(await run('sh', ['-c', 'PATH="$1" blkid -p -s TYPE -o value "$2"', 'sh', path, volume])).toContain(
      'BitLocker',
    );
    const keyFile = join(folder, 'key');
    await writeFile(keyFile, key);
    const told = await run('sh', [
      '-c',
      'PATH="$1" cryptsetup bitlkDump --batch-mode --dump-volume-key --key-file "$2" "$3"',
      'sh',
      path,
      keyFile,
      volume,
    ]);
    expect(told.replaceAll(/\s/g, '')).toContain(`MKdump:${volumeKey.toString('hex')}`);
  });

  it('is opened with its recovery key, however people write it, and by no other', () => {
    for (const [keys, readOnly] of [
      [[another, key], false],
      [[key.replaceAll('-', '')], true],
      [[`${key.replaceAll('-', ' ')}\r\n`], false],
    ] as const) {
      const outcome = attempted(volume, keys, readOnly);
      expect(outcome.opened).toEqual(['/dev/mapper/causeway-bitlocker-volume-raw']);
      expect(outcome.said).toEqual([
        ['log', expect.stringContaining('was opened') as string],
        ['warning', expect.stringContaining('asks for its recovery key') as string],
      ]);
    }
    expect(attempted(volume, [another])).toMatchObject({
      opened: [],
      suspended: false,
      refused: ['osmorphing.locked', expect.stringContaining('none of the keys opens it')],
      said: [],
    });
    expect(attempted(volume, [])).toMatchObject({
      opened: [],
      refused: ['osmorphing.locked', expect.stringContaining('no recovery key was given')],
    });
  });

  it('is known by the identifier that Windows shows', () => {
    expect(attempted(volume, []).identities).toEqual([
      volume.toLowerCase(),
      expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/),
    ]);
  });

  it('is opened without a key while its protection is suspended, and is what Windows sees', async () => {
    const tables: string[] = [];
    for (const [keys, readOnly] of [
      [[], false],
      [[key], true],
    ] as const) {
      const outcome = attempted(suspended, keys, readOnly);
      expect(outcome).toMatchObject({ opened: ['/dev/mapper/causeway-bitlocker-suspended-raw'], suspended: true });
      expect(outcome.said.map(([, message]) => message)).toEqual([
        expect.stringContaining('opened without a key'),
        expect.stringContaining('remove the protection by the old TPM'),
      ]);
      expect(JSON.stringify(outcome)).not.toContain(key.slice(0, 14));
      tables.push(...outcome.tables);
    }
    const [table = ''] = tables;
    expect(tables).toEqual([table, table]);
    expect(mapped(table, await readFile(suspended)).equals(plain)).toBe(true);
  });
});
