import { expect, it } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { rounds } from '../../../shared/testing/rounds.ts';
import { crc32c } from './crc32c.ts';
import { buildQcow2, buildRedoExtent, buildVdi, buildVmdk, vmdkDescriptor } from './testing/build-images.ts';
import { dynamicVhd, fixedVhd } from './testing/build-vhd.ts';
import { buildVhdx } from './testing/build-vhdx.ts';
import { randomContent, seeded } from './testing/content.ts';
import { logEntry } from './testing/vhdx-dirty-log.ts';
import { memoryFiles } from './testing/memory-files.ts';
import { readImage } from './testing/read-image.ts';
import { vhdChecksum } from './vhd-footer.ts';

/** How many mutants are read: a sample each time, the whole of it in the full tier, all with CAUSEWAY_FUZZ_ROUNDS=100000. */
const ROUNDS = Number(process.env['CAUSEWAY_FUZZ_ROUNDS'] ?? rounds(8_000));
const FOLDER = '/images';
const SECRET = Buffer.from('root:x:0:0:root:/root:/bin/sh\n'.repeat(400));
/** What one mutant may cost: counted, since a clock would count other programs as well. */
const MAX_READS = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;

interface Subject {
  readonly name: string;
  readonly image: Buffer;
  /** The image that is opened instead, of which this one is a part. */
  readonly openedBy?: string;
  /** Ranges worth changing: headers and tables. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
  /** Sums anew, so that the change behind the checksum is read. */
  readonly seal?: (image: Buffer) => void;
  /** One of so many rounds: larger images cost more. */
  readonly every: number;
}

const bytes = randomContent(64 * 512, seeded(1));
const content = { sizeBytes: bytes.length, bytes };
const half = { ...content, has: (offset: number) => offset % 1024 === 0 };
const KIB = 1024;

function sealVhd(image: Buffer): void {
  image.writeUInt32BE(vhdChecksum(image.subarray(512, 1536), 36), 512 + 36);
  for (const at of [0, image.length - 512]) image.writeUInt32BE(vhdChecksum(image.subarray(at, at + 512), 64), at + 64);
}

function sealVhdx(image: Buffer): void {
  for (const [at, length] of [
    [64 * KIB, 4 * KIB],
    [128 * KIB, 4 * KIB],
    [192 * KIB, 64 * KIB],
    [256 * KIB, 64 * KIB],
  ] as const)
    image.writeUInt32LE(crc32c(image.subarray(at, at + length), 4), at + 4);
}

const LOG = KIB * KIB;
const LOG_ENTRY = 8 * KIB;

/** A VHDX after a crash: the first sector of its block table is only in its log. */
function vhdxWithLog(): Buffer {
  const image = buildVhdx({ sizeBytes: KIB * KIB, bytes });
  const id = Buffer.alloc(16, 3);
  for (const at of [64 * KIB, 128 * KIB]) id.copy(image, at + 48);
  const table = Buffer.from(image.subarray(2048 * KIB, 2052 * KIB));
  image.fill(0xaa, 2048 * KIB, 2052 * KIB);
  for (const [index, content] of [Buffer.alloc(4 * KIB, 9), table].entries()) {
    logEntry({
      sequence: BigInt(index + 1),
      tail: 0,
      size: BigInt(image.length),
      target: 2048 * KIB,
      content,
      id,
    }).copy(image, LOG + index * LOG_ENTRY);
  }
  sealVhdx(image);
  return image;
}

function sealVhdxWithLog(image: Buffer): void {
  sealVhdx(image);
  for (const at of [LOG, LOG + LOG_ENTRY]) {
    // As long as it claims to be, where it can be.
    const length = Math.min(Math.max(8, image.readUInt32LE(at + 8)), 64 * KIB);
    image.writeUInt32LE(crc32c(image.subarray(at, at + length), 4), at + 4);
  }
}

function sealFixedVhd(image: Buffer): void {
  image.writeUInt32BE(vhdChecksum(image.subarray(image.length - 512), 64), image.length - 512 + 64);
}

function subjects(): readonly Subject[] {
  const stream = buildVmdk(content, { stream: true });
  const fixed = fixedVhd(bytes);
  const vhd = dynamicVhd(half, { parent: { id: 7, relative: 'base.vhd' } });
  const descriptor = Buffer.from(
    vmdkDescriptor(['RW 32 FLAT "data.bin" 0', 'RW 8 ZERO', 'RW 64 SPARSE "extent.vmdk"'], {
      parent: { cid: '00000001', name: 'base.vmdk' },
    }),
  );
  return [
    { name: 'text.vmdk', image: descriptor, ranges: [[0, descriptor.length]], every: 1 },
    {
      name: 'top.qcow2',
      image: buildQcow2(half, { backing: 'base.qcow2', compressed: true }),
      ranges: [
        [0, 560],
        [4096, 4112],
        [8192, 8320],
      ],
      every: 1,
    },
    {
      name: 'newer.qcow2',
      image: buildQcow2(half, { backing: 'base.qcow2', compressed: true, subclusters: true, zstd: true }),
      ranges: [
        [0, 560],
        [16 * KIB, 16 * KIB + 8],
        [32 * KIB, 32 * KIB + 64],
        [48 * KIB, 48 * KIB + 200],
      ],
      every: 1,
    },
    {
      name: 'fixed.vhd',
      image: fixed,
      ranges: [[fixed.length - 512, fixed.length - 420]],
      seal: sealFixedVhd,
      every: 1,
    },
    {
      name: 'log.vhdx',
      image: vhdxWithLog(),
      ranges: [
        [64 * KIB, 64 * KIB + 80],
        [LOG, LOG + 96],
        [LOG + LOG_ENTRY, LOG + LOG_ENTRY + 96],
        [LOG + LOG_ENTRY + 4 * KIB, LOG + LOG_ENTRY + 4 * KIB + 40],
      ],
      seal: sealVhdxWithLog,
      every: 20,
    },
    {
      name: 'top.vmdk',
      image: buildVmdk(half, { parent: { cid: '00000001', name: 'base.vmdk' } }),
      ranges: [
        [0, 900],
        [1536, 1552],
        [2048, 2112],
      ],
      every: 1,
    },
    {
      name: 'stream.vmdk',
      image: stream,
      ranges: [
        [0, 90],
        [stream.length - 3 * 512, stream.length - 900],
        [1536, 1700],
      ],
      every: 1,
    },
    {
      name: 'redo.vmdk',
      image: buildRedoExtent(half),
      openedBy: 'vmfs.vmdk',
      ranges: [
        [0, 32],
        [2048, 2060],
        [2560, 2700],
      ],
      every: 1,
    },
    {
      name: 'top.vhd',
      image: vhd,
      ranges: [
        [0, 90],
        [512, 1200],
        [1536, 1600],
        [2048, 2080],
        [vhd.length - 512, vhd.length - 420],
      ],
      seal: sealVhd,
      every: 1,
    },
    {
      name: 'a.vdi',
      image: buildVdi(content),
      ranges: [
        [0x40, 0x190],
        [512, 530],
      ],
      every: 1,
    },
    {
      name: 'top.vhdx',
      image: buildVhdx(
        { sizeBytes: KIB * KIB, bytes, has: half.has },
        { parent: { id: 9, paths: { relative_path: 'base.vhdx' } } },
      ),
      ranges: [
        [64 * KIB, 64 * KIB + 80],
        [192 * KIB, 192 * KIB + 90],
        [3072 * KIB, 3072 * KIB + 230],
        [3136 * KIB, 3136 * KIB + 400],
        [2048 * KIB, 2048 * KIB + 32],
      ],
      seal: sealVhdx,
      every: 20,
    },
  ];
}

/** Pieces that descriptors and names of files are attacked with. */
const tokens = [
  '\nRW 8 FLAT "../etc/passwd" 0\n',
  '\nRW 8 SPARSE "../images-secret/passwd"\n',
  '\nRW 8 FLAT "link" 0\n',
  'RW ',
  'RW\n',
  '+8',
  '-1',
  '99999999999999999999',
  '0x10',
  ' FLAT ',
  ' SPARSE ',
  ' ZERO',
  ' ZERO RW 8 FLAT ',
  '"/etc/passwd" 0',
  '"../etc/passwd"',
  '/etc/passwd',
  '../',
  '"',
  '\\',
  '\n',
  '\r',
  '\t',
  '\0',
  '=',
  '#',
  'parentCID=00000001\n',
  'parentFileNameHint="/etc/passwd"\n',
  'json:',
  'nbd://',
  ':',
  '..',
  'link',
  'passwd',
  'data.bin',
  'text.vmdk',
  'top.qcow2',
  'raw',
];
const numbers = [
  0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
];

function mutate(image: Buffer, { ranges }: Subject, random: () => number): Buffer {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let result = image;
  for (let count = 1 + Math.floor(random() * 4); count > 0; count--) {
    const [from, to] = pick(ranges);
    const at = from + Math.floor(random() * (to - from));
    const kind = random();
    if (kind < 0.25) image[at] = Math.floor(random() * 256);
    else if (kind < 0.4) image[at] = (image[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    else if (kind < 0.55 && at + 4 <= image.length) image.writeUInt32BE(pick(numbers), at & ~3);
    else if (kind < 0.7 && at + 4 <= image.length) image.writeUInt32LE(pick(numbers), at & ~3);
    else if (kind < 0.9) Buffer.from(pick(tokens), 'latin1').copy(image, at);
    else if (kind < 0.95) image.copy(image, at, from, Math.min(from + 16, image.length));
    else result = image.subarray(0, random() < 0.5 ? at : Math.floor(random() * image.length));
  }
  return result;
}

/** A descriptor made of pieces, with and without the lines that make it valid. */
function spliced(random: () => number): Buffer {
  const count = 1 + Math.floor(random() * 30);
  const pieces = Array.from({ length: count }, () => tokens[Math.floor(random() * tokens.length)]);
  return Buffer.from(
    `# Disk DescriptorFile\n${random() < 0.5 ? 'version=1\nCID=00000001\n' : ''}${pieces.join('')}`,
    'latin1',
  );
}

it(`survives ${ROUNDS} mutants of images: nothing outside of the folder is opened, work stays bounded, errors are told`, async () => {
  const access = memoryFiles({
    '/etc/passwd': SECRET,
    '/images-secret/passwd': SECRET,
    '/images/data.bin': bytes,
    '/images/base.qcow2': buildQcow2(content),
    '/images/base.vmdk': buildVmdk(content),
    '/images/extent.vmdk': buildVmdk(content, { withoutDescriptor: true }),
    '/images/vmfs.vmdk': Buffer.from(
      vmdkDescriptor(['RW 64 VMFSSPARSE "redo.vmdk"'], {
        createType: 'vmfsSparse',
        parent: { cid: '00000001', name: 'base.vmdk' },
      }),
    ),
    '/images/base.vhd': fixedVhd(bytes, 7),
    '/images/base.vhdx': buildVhdx({ sizeBytes: KIB * KIB, bytes }, { id: 9 }),
  });
  access.links.set('/images/link', '/etc/passwd');
  access.links.set('/images/passwd', '/images-secret/passwd');
  const all = subjects();
  const signal = new AbortController().signal;
  // As they are, all can be read: else a mutant would say nothing.
  for (const { name, image, openedBy } of all) {
    access.files.set(`${FOLDER}/${name}`, image);
    await readImage(`${FOLDER}/${openedBy ?? name}`, FOLDER, access, signal);
    access.files.delete(`${FOLDER}/${name}`);
  }
  let read = 0;
  const codes = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const random = seeded(round);
    const subject =
      all.filter((candidate) => round % candidate.every === 0)[Math.floor(random() * all.length)] ?? all[0]!;
    const path = `${FOLDER}/${subject.name}`;
    // Large images are changed in place and put back: copying them would take most of the time.
    const kept = subject.ranges.map(([from, to]) => Buffer.from(subject.image.subarray(from, to + 128)));
    const image =
      subject.name === 'text.vmdk' && random() < 0.5 ? spliced(random) : mutate(subject.image, subject, random);
    if (subject.seal !== undefined && image.length === subject.image.length && random() < 0.9) subject.seal(image);
    access.files.set(path, image);
    access.reset();
    const result = await readImage(
      `${FOLDER}/${subject.openedBy ?? subject.name}`,
      FOLDER,
      access,
      signal,
      256 * KIB,
    ).catch((error: unknown) => error);
    for (const [index, [from]] of subject.ranges.entries()) kept[index]?.copy(subject.image, from);
    subject.seal?.(subject.image);
    access.files.delete(path);

    const where = `round ${round}, ${subject.name}`;
    for (const asked of access.asked)
      if (asked !== FOLDER && !asked.startsWith(`${FOLDER}/`)) throw new Error(`${where}: asked for ${asked}`);
    if (access.work.open !== 0) throw new Error(`${where}: ${access.work.open} files stay open`);
    if (access.work.reads > MAX_READS || access.work.bytes > MAX_BYTES)
      throw new Error(`${where}: ${access.work.reads} reads of ${access.work.bytes} bytes`);
    if (Buffer.isBuffer(result)) {
      read += 1;
      if (result.includes('root:x:0')) throw new Error(`${where}: the content of a file outside`);
    } else if (result instanceof CausewayError && result.code.startsWith('source.'))
      codes.set(result.code, (codes.get(result.code) ?? 0) + 1);
    else throw new Error(`${where}: ${result instanceof Error ? result.stack : String(result)}`);
  }
  // The mutants reach all parts: many are refused, for each reason, and many are read.
  expect(read).toBeGreaterThan(ROUNDS / 20);
  expect([...codes.keys()].sort()).toEqual(
    expect.arrayContaining(['source.image-part-missing', 'source.image-refers-outside', 'source.image-unreadable']),
  );
});
