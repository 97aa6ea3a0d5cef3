// needs: qemu-utils
import { mkdir, open, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Extent } from '../../shared/model/extent.ts';
import { randomContent, seeded } from '../../electron/engine/images/testing/content.ts';
import { run } from './nbd-servers.ts';

const KIB = 1024;
const SECTOR = 512;

/** QEMU's names of the formats that it can make images of. */
export const matrixDrivers = ['raw', 'qcow2', 'vmdk', 'vpc', 'vhdx', 'vdi'] as const;
type Driver = (typeof matrixDrivers)[number];

const extensions: Readonly<Record<Driver, string>> = {
  raw: 'raw',
  qcow2: 'qcow2',
  vmdk: 'vmdk',
  vpc: 'vhd',
  vhdx: 'vhdx',
  vdi: 'vdi',
};

export interface MatrixImage {
  readonly path: string;
  readonly driver: Driver;
  /** The commands that made it, to repeat it by hand. */
  readonly made: readonly string[];
  /** QEMU asks each of its formats what is zero. It does not ask VHDX: there, all is data to it. */
  readonly hasExtents: boolean;
}

/** Draws the options of one image and runs what makes it. */
class Maker {
  readonly made: string[] = [];
  readonly #folder: string;
  readonly #random: () => number;

  constructor(folder: string, random: () => number) {
    this.#folder = folder;
    this.#random = random;
  }

  async image(driver: Driver): Promise<string> {
    // Sizes that end within a cluster, a grain and a block, and tiny ones.
    const size =
      SECTOR *
      this.#pick([1, 7, 128, 1 + this.#below(300), 2048, 1 + this.#below(12_000), 6144, 1 + this.#below(24_000)]);
    return driver === 'qcow2' || driver === 'vmdk' ? this.#chain(driver, size) : this.#single(driver, 'top', size);
  }

  /** Up to three images that it is based on; qcow2 takes all formats, and bases that are smaller or larger. */
  async #chain(driver: 'qcow2' | 'vmdk', size: number): Promise<string> {
    const levels = this.#pick([0, 0, 0, 1, 1, 2, 3]);
    if (levels === 0) return this.#single(driver, 'top', size);
    let below: Driver = driver === 'vmdk' ? 'vmdk' : this.#pick([...matrixDrivers, 'qcow2', 'qcow2']);
    let base = await this.#single(
      below,
      'base',
      driver === 'vmdk' ? size : this.#pick([size, size, Math.ceil(size / 2 / SECTOR) * SECTOR, size + 64 * KIB]),
      driver === 'vmdk',
    );
    for (let level = levels; level > 0; level--) {
      const name = `${level === 1 ? 'top' : `level${level}`}.${extensions[driver]}`;
      const options = driver === 'vmdk' ? this.#pick(['', 'zeroed_grain=on']) : this.#qcow2Options();
      // QEMU knows an overlay's size by its base.
      await this.#qemuImg(
        'create',
        '-q',
        '-f',
        driver,
        '-b',
        base,
        '-F',
        below,
        ...(options === '' ? [] : ['-o', options]),
        name,
        ...(driver === 'vmdk' ? [] : [String(size)]),
      );
      await this.#write(driver, name, driver === 'vmdk' ? await this.#sizeOf(driver, name) : size, options);
      base = name;
      below = driver;
    }
    return base;
  }

  async #single(driver: Driver, name: string, size: number, isBaseOfVmdk = false): Promise<string> {
    const file = `${name}.${extensions[driver]}`;
    const isConverted = !isBaseOfVmdk && this.#random() < 0.35;
    if (!isConverted) {
      const options = isBaseOfVmdk ? this.#pick(['', 'zeroed_grain=on']) : this.#options(driver);
      await this.#qemuImg('create', '-q', '-f', driver, ...(options === '' ? [] : ['-o', options]), file, String(size));
      await this.#write(driver, file, await this.#sizeOf(driver, file), options);
      return file;
    }
    const options = driver === 'vmdk' && this.#random() < 0.5 ? 'subformat=streamOptimized' : this.#options(driver);
    const canCompress = driver === 'qcow2' && !options.includes('preallocation');
    await writeFile(join(this.#folder, 'content'), randomContent(size, this.#random));
    this.made.push(`# content: ${size} seeded bytes`);
    await this.#qemuImg(
      'convert',
      '-f',
      'raw',
      '-O',
      driver,
      ...(canCompress && this.#random() < 0.7 ? ['-c'] : []),
      ...this.#pick([[], ['-S', '0'], ['-S', '64k']]),
      ...(options === '' ? [] : ['-o', options]),
      'content',
      file,
    );
    await rm(join(this.#folder, 'content'));
    return file;
  }

  #options(driver: Driver): string {
    switch (driver) {
      case 'raw':
        return this.#pick(['', '', 'preallocation=falloc', 'preallocation=full']);
      case 'qcow2':
        return this.#qcow2Options(true);
      case 'vmdk':
        return [
          `subformat=${this.#pick(['monolithicSparse', 'monolithicSparse', 'monolithicFlat', 'twoGbMaxExtentSparse', 'twoGbMaxExtentFlat'])}`,
          ...this.#pick([[], ['adapter_type=lsilogic'], ['hwversion=14']]),
          ...this.#pick([[], ['zeroed_grain=on']]),
        ]
          .join(',')
          .replace(/(Flat.*),zeroed_grain=on/, '$1');
      case 'vpc':
        return this.#pick(['', 'force_size=on', 'subformat=fixed', 'subformat=fixed,force_size=on']);
      case 'vhdx':
        return this.#pick([
          '',
          'block_size=1M',
          'block_size=2M,log_size=2M',
          'subformat=fixed',
          'block_state_zero=off',
          'block_size=1M,block_state_zero=off',
        ]);
      case 'vdi':
        return this.#pick(['', '', 'static=on']);
    }
  }

  #qcow2Options(mayPreallocate = false): string {
    if (this.#random() < 0.2) return `compat=0.10,cluster_size=${this.#pick(['512', '4k', '64k', '2M'])}`;
    const extended = this.#random() < 0.35;
    const cluster = this.#pick(extended ? ['16k', '32k', '64k', '2M'] : ['512', '1k', '4k', '64k', '64k', '1M']);
    const more = [
      ...(extended ? ['extended_l2=on'] : []),
      ...(this.#random() < 0.4 ? ['compression_type=zstd'] : []),
      ...this.#pick([[], [], ['lazy_refcounts=on'], ['refcount_bits=1'], ['refcount_bits=64']]),
      ...(mayPreallocate && !extended && this.#random() < 0.2
        ? [`preallocation=${this.#pick(['metadata', 'falloc', 'full'])}`]
        : []),
    ];
    return [`cluster_size=${cluster}`, ...more].join(',');
  }

  /** Patterns, zeros and discards at random places, compressed clusters, and internal snapshots in between. */
  async #write(driver: Driver, file: string, size: number, options: string): Promise<void> {
    const count = this.#below(26);
    const half = Math.floor(count / 2);
    const cluster = clusterBytes(options);
    const takesSnapshots = driver === 'qcow2' && !options.includes('refcount_bits=1') && this.#random() < 0.2;
    const commands = Array.from({ length: count }, () => this.#command(driver, size, cluster));
    for (const [index, part] of [commands.slice(0, half), commands.slice(half)].entries()) {
      if (part.length > 0) await this.#io(driver, part, file);
      if (index === 0 && takesSnapshots) await this.#qemuImg('snapshot', '-c', 'before', file);
    }
  }

  /** QEMU refuses to write a compressed cluster over one that is there; the image is one to be read all the same. */
  async #io(driver: Driver, commands: readonly string[], file: string): Promise<void> {
    await this.#run('qemu-io', '-f', driver, ...commands.flatMap((command) => ['-c', command]), file).catch(
      (error: unknown) => {
        if (!commands.some((command) => command.startsWith('write -c'))) throw error;
      },
    );
  }

  #command(driver: Driver, size: number, cluster: number): string {
    const sectors = Math.floor(size / SECTOR);
    const offset = this.#below(sectors);
    const length = Math.min(1 + this.#below(this.#random() < 0.5 ? 9 : 600), sectors - offset);
    const kind = this.#random();
    if (driver === 'qcow2' && kind < 0.12 && size >= cluster)
      return `write -c -P ${1 + this.#below(255)} ${this.#below(Math.floor(size / cluster)) * cluster} ${cluster}`;
    if (kind < 0.25) return `write -z ${offset * SECTOR} ${length * SECTOR}`;
    if ((driver === 'qcow2' || driver === 'raw') && kind < 0.4)
      return `${this.#pick(['write -z -u', 'discard'])} ${offset * SECTOR} ${length * SECTOR}`;
    return `write -P ${1 + this.#below(255)} ${offset * SECTOR} ${length * SECTOR}`;
  }

  async #sizeOf(driver: Driver, file: string): Promise<number> {
    const info = JSON.parse((await this.#run('qemu-img', 'info', '--output=json', '-f', driver, file)) || '{}') as {
      'virtual-size'?: number;
    };
    this.made.pop();
    return info['virtual-size'] ?? 0;
  }

  async #qemuImg(...args: string[]): Promise<void> {
    await this.#run('qemu-img', ...args);
  }

  async #run(tool: string, ...args: string[]): Promise<string> {
    this.made.push([tool, ...args.map((arg) => (/[ ,]/.test(arg) ? `'${arg}'` : arg))].join(' '));
    return (await run(tool, args, { cwd: this.#folder })).stdout;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)] as T;
  }
}

function clusterBytes(options: string): number {
  const [, number = '64', unit = 'k'] = /cluster_size=(\d+)([kM]?)/.exec(options) ?? [];
  return Number(number) * (unit === 'M' ? KIB * KIB : unit === 'k' ? KIB : 1);
}

/** Makes the image of a seed in `folder`, which is emptied before: the same one for the same version of QEMU. */
export async function makeMatrixImage(driver: Driver, seed: number, folder: string): Promise<MatrixImage> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const maker = new Maker(folder, seeded(seed));
  const name = await maker.image(driver).catch((error: unknown) => {
    throw new Error(`seed ${seed}:\n${maker.made.join('\n')}`, { cause: error });
  });
  return {
    path: join(folder, name),
    driver,
    made: maker.made,
    hasExtents: !maker.made.some((command) => command.includes('.vhdx')),
  };
}

/** Writes every file of a folder anew without holes, so that only what formats say themselves tells zeros from data. */
export async function fillHoles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const bytes = await readFile(join(folder, name));
    await using file = await open(join(folder, name), 'r+');
    await file.write(bytes, 0, bytes.length, 0);
  }
}

/** What QEMU reads, filled up to whole sectors. */
export async function bytesByQemu({ path, driver }: MatrixImage, scratch: string): Promise<Buffer> {
  await run('qemu-img', ['convert', '-f', driver, '-O', 'raw', path, scratch]);
  const bytes = await readFile(scratch);
  await rm(scratch);
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & (SECTOR - 1))]);
}

/** QEMU's extents, neighbours of one kind joined. */
export async function extentsByQemu({ path, driver }: MatrixImage): Promise<readonly Extent[]> {
  const { stdout } = await run('qemu-img', ['map', '--output=json', '-f', driver, path], { maxBuffer: 2 ** 28 });
  const joined: Extent[] = [];
  for (const { start, length, zero } of JSON.parse(stdout) as { start: number; length: number; zero: boolean }[]) {
    const kind = zero ? 'zero' : 'data';
    const last = joined.at(-1);
    if (last?.kind === kind) joined[joined.length - 1] = { ...last, length: last.length + length };
    else joined.push({ offset: start, length, kind });
  }
  return joined;
}
