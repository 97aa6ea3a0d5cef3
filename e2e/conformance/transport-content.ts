import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { canRun } from '../../scripts/test/needs.ts';
import { device, diskBytes, mebibyte, never, type TransportLab } from './transport-lab.ts';

/** What goes over a transport arrives, and nothing else does. */
export function transportContent(lab: TransportLab): void {
  it('leaves exactly the bytes that were written and zeroed, with many requests in flight', async () => {
    const session = await lab.connected({ connections: 3 });
    expect(session.dataLinks).toBe(lab.mechanism === 'HTTPS' ? 3 : 5);
    const writer = await session.open(device(lab.disk), never);
    const expected = await readFile(lab.disk);
    const slots = Array.from({ length: 60 }, (_, index) => index * 400_000).filter((at) => at + 400_000 <= diskBytes);
    await Promise.all(
      slots.map(async (at, index) => {
        const length = 1 + ((index * 7919) % 400_000);
        const offset = at + ((index * 31) % (400_000 - length + 1));
        if (index % 5 === 4) {
          expected.fill(0, offset, offset + length);
          await writer.zero(offset, length, never);
        } else {
          const bytes = index % 2 === 0 ? randomBytes(length) : Buffer.alloc(length, `slot ${index} `);
          bytes.copy(expected, offset);
          await writer.write(offset, bytes, never);
        }
      }),
    );
    const large = randomBytes(3 * mebibyte + 17);
    large.copy(expected, diskBytes - large.length);
    expect(await writer.write(diskBytes - large.length, large, never)).toEqual({ bytesSent: large.length });
    await writer.flush(never);
    expect((await readFile(lab.disk)).equals(expected)).toBe(true);
    expect(writer.sizeBytes).toBe(diskBytes);
  });

  it('answers with the SHA-256 of each block, the last one shorter', async () => {
    const session = await lab.connected();
    const writer = await session.open(device(lab.disk), never);
    const content = await readFile(lab.disk);
    const [offset, length, blockBytes] = [4096, 5_000_001, 65_536];
    const expected = [];
    for (let at = 0; at < length; at += blockBytes) {
      const block = content.subarray(offset + at, offset + at + Math.min(blockBytes, length - at));
      expected.push(createHash('sha256').update(block).digest());
    }
    const found = await writer.digests(offset, length, blockBytes, never);
    expect(Buffer.from(found).equals(Buffer.concat(expected))).toBe(true);
    expect(await writer.digests(0, 0, blockBytes, never)).toHaveLength(0);
  });

  it('tells zeros from what is nearly zeros, in blocks of any size', async () => {
    const writer = await (await lab.connected()).open(device(lab.disk), never);
    const content = Buffer.alloc(7 * mebibyte + 5);
    // The last and the first byte of a block, and one in the second half of a block that is larger than what is read at once.
    for (const at of [2 * 65_536 - 1, 3 * 65_536, 5 * mebibyte + 700_000]) content[at] = 1;
    await writer.write(0, content, never);
    await writer.flush(never);
    for (const blockBytes of [512, 65_536, mebibyte, 3 * mebibyte]) {
      const blocks = Array.from({ length: Math.ceil(content.length / blockBytes) }, (_, index) =>
        content.subarray(index * blockBytes, (index + 1) * blockBytes),
      );
      const expected = Buffer.concat(blocks.map((block) => createHash('sha256').update(block).digest()));
      expect(
        expected.equals(await writer.digests(0, content.length, blockBytes, never)),
        `blocks of ${blockBytes}`,
      ).toBe(true);
    }
  });

  it('reads back what the volume holds, at any offset, many reads at once, and nothing beyond its end', async () => {
    const content = await readFile(lab.disk);
    const volume = await (await lab.connected()).open(device(lab.disk), never);
    const ranges = [
      [0, 10],
      [4095, 3 * mebibyte + 17],
      [diskBytes - 5, 5],
      [7 * mebibyte, 9 * mebibyte],
    ] as const;
    const read = await Promise.all(
      ranges.map(async ([offset, length]) => {
        const into = Buffer.alloc(length, 0xee);
        await volume.read(offset, into, never);
        return into.equals(content.subarray(offset, offset + length));
      }),
    );
    expect(read).toEqual([true, true, true, true]);
    await expect(volume.read(diskBytes - 5, Buffer.alloc(6), never)).rejects.toMatchObject({
      code: 'transport.out-of-range',
    });
    await volume.close();
  });

  it('writes the same bytes compressed, and says how few crossed the link', async () => {
    const session = await lab.connected({ compression: 'always', checksumPayloads: true });
    const writer = await session.open(device(lab.disk), never);
    const text = Buffer.from('a line that repeats itself\n'.repeat(100_000));
    const noise = randomBytes(500_000);
    const { bytesSent } = await writer.write(0, text, never);
    expect(bytesSent).toBeLessThan(text.length / 20);
    expect(await writer.write(text.length, noise, never)).toEqual({ bytesSent: noise.length });
    await writer.flush(never);
    const content = await readFile(lab.disk);
    expect(content.subarray(0, text.length).equals(text)).toBe(true);
    expect(content.subarray(text.length, text.length + noise.length).equals(noise)).toBe(true);
  });

  it('refuses what does not fit into the volume, and writes nothing of it', async () => {
    const session = await lab.connected();
    const writer = await session.open(device(lab.disk), never);
    const before = await readFile(lab.disk);
    const outOfRange = expect.objectContaining({ code: 'transport.out-of-range' });
    await expect(writer.write(diskBytes - 10, Buffer.alloc(11), never)).rejects.toEqual(outOfRange);
    await expect(writer.zero(diskBytes, 1, never)).rejects.toEqual(outOfRange);
    await expect(writer.digests(1, diskBytes, 4096, never)).rejects.toEqual(outOfRange);
    await truncate(lab.disk, diskBytes);
    expect((await readFile(lab.disk)).equals(before)).toBe(true);
  });

  it('opens nothing outside of what it may write to', async () => {
    const session = await lab.connected();
    await symlink('/etc/hostname', join(lab.folder, 'link'));
    const refused = expect.objectContaining({ code: 'transport.device-refused' });
    for (const path of [
      '/etc/hostname',
      '/dev/null',
      '/dev/no-such-device',
      join(lab.folder, 'link'),
      `${lab.folder}/../x`,
      lab.folder,
    ]) {
      await expect(session.open(device(path), never), path).rejects.toEqual(refused);
    }
  });

  const hasDevices = canRun('privileges', 'mount', 'e2fsprogs');
  it.runIf(hasDevices)('writes to a block device, and refuses it once something is mounted from it', async () => {
    const image = join(lab.folder, 'volume-7.img');
    await writeFile(image, '');
    await truncate(image, 16 * mebibyte);
    const path = run('losetup', '--find', '--show', image);
    try {
      const session = await lab.connected();
      const found = (await session.devices(never)).find((entry) => entry.path === path);
      // Kernels before 5.15 do not count their devices.
      const sequence = /^(\d+)/.exec(
        await readFile(`/sys/block/${basename(path)}/diskseq`, 'utf8').catch(() => ''),
      )?.[1];
      expect(found).toEqual({
        path,
        serial: 'volume-7',
        byPath: [],
        sizeBytes: 16 * mebibyte,
        inUse: false,
        ...(sequence === undefined ? {} : { sequence: Number(sequence) }),
      });
      const writer = await session.open(device(path), never);
      const bytes = randomBytes(mebibyte);
      await writer.write(mebibyte, bytes, never);
      await writer.write(4 * mebibyte, bytes, never);
      await writer.zero(mebibyte + 100, 600_000, never);
      await expect(session.open(device(path), never)).rejects.toMatchObject({ code: 'transport.device-in-use' });
      await writer.flush(never);
      const expected = Buffer.alloc(16 * mebibyte);
      bytes.copy(expected, mebibyte);
      bytes.copy(expected, 4 * mebibyte);
      expected.fill(0, mebibyte + 100, mebibyte + 600_100);
      expect((await readFile(path)).equals(expected)).toBe(true);
      await writer.close();
      run('mke2fs', '-q', '-F', path);
      run('mkdir', join(lab.folder, 'mounted'));
      run('mount', path, join(lab.folder, 'mounted'));
      try {
        await expect(session.open(device(path), never)).rejects.toMatchObject({ code: 'transport.device-in-use' });
        expect((await session.devices(never)).find((entry) => entry.path === path)?.inUse).toBe(true);
      } finally {
        run('umount', join(lab.folder, 'mounted'));
      }
    } finally {
      run('losetup', '--detach', path);
    }
  });
}

function run(command: string, ...parameters: string[]): string {
  return execFileSync(command, parameters, { encoding: 'utf8' }).trim();
}
