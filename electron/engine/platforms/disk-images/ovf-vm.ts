import { open, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { FileRange } from './image-format.ts';
import { readAt } from './image-format.ts';
import type { ImageDisk, ImageVm } from './image-vm.ts';
import type { ImageLocation } from './open-plan.ts';
import { MAX_OVF_BYTES, parseOvf, type OvfVm } from './ovf.ts';
import { indexTar } from './tar-index.ts';

/** The VM of an OVF file; its disks lie beside it. @throws CausewayError source.description-invalid */
export async function ovfVm(path: string, id: string): Promise<ImageVm> {
  const file = await open(path, 'r');
  try {
    const ovf = parseOvf(await readText(file, { offset: 0, size: (await file.stat()).size }));
    const folder = dirname(path);
    const disks = ovf.disks.map((disk) => toDisk(disk, { path: join(folder, plainHref(disk.href)) }));
    for (const disk of disks) {
      await stat(disk.location.path).catch(() => {
        throw new CausewayError('source.description-invalid', `the OVF names ${disk.id}, which is not there`);
      });
    }
    return toVm(ovf, path, id, disks);
  } finally {
    await file.close();
  }
}

/** The VM of an OVA archive; its disks are read where they lie in the archive. */
export async function ovaVm(path: string, id: string): Promise<ImageVm> {
  const file = await open(path, 'r');
  try {
    const members = await indexTar(file);
    const description = members.find((member) => extname(member.name).toLowerCase() === '.ovf');
    if (description === undefined) throw new CausewayError('source.description-invalid', `${basename(path)} holds no OVF`);
    const ovf = parseOvf(await readText(file, description));
    const disks = ovf.disks.map((disk) => {
      const member = members.find((candidate) => candidate.name === disk.href || candidate.name === `./${disk.href}`);
      if (member === undefined) throw new CausewayError('source.description-invalid', `the OVF names ${disk.href}, which is not in the archive`);
      return toDisk(disk, { path, range: { offset: member.offset, size: member.size }, name: basename(disk.href) });
    });
    return toVm(ovf, path, id, disks);
  } finally {
    await file.close();
  }
}

function toVm(ovf: OvfVm, path: string, id: string, disks: readonly ImageDisk[]): ImageVm {
  if (new Set(disks.map((disk) => disk.id)).size < disks.length) {
    throw new CausewayError('source.description-invalid', 'the OVF gives one file to two disks');
  }
  return {
    id,
    name: ovf.name ?? basename(path, extname(path)),
    disks,
    nics: ovf.nics.map((nic) => ({ network: nic.network, ...(nic.macAddress === undefined ? {} : { macAddress: nic.macAddress }) })),
    ...(ovf.osType === undefined ? {} : { osType: ovf.osType }),
    ...(ovf.firmware === undefined ? {} : { firmware: ovf.firmware }),
    ...(ovf.secureBoot === undefined ? {} : { secureBoot: ovf.secureBoot }),
    ...(ovf.vcpus === undefined ? {} : { vcpus: ovf.vcpus }),
    ...(ovf.memoryMb === undefined ? {} : { memoryMb: ovf.memoryMb }),
  };
}

function toDisk(disk: OvfVm['disks'][number], location: ImageLocation): ImageDisk {
  return {
    id: disk.href,
    location,
    ...(disk.bus === undefined ? {} : { bus: disk.bus }),
    ...(disk.capacityBytes === undefined ? {} : { statedBytes: disk.capacityBytes }),
  };
}

function plainHref(href: string): string {
  const decoded = href.includes('%') ? safeDecode(href) : href;
  if (decoded === '' || decoded === '.' || decoded === '..' || /[/\\:\0]/.test(decoded)) {
    throw new CausewayError('source.image-refers-outside', `the OVF names ${JSON.stringify(href.slice(0, 200))}`);
  }
  return decoded;
}

function safeDecode(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

async function readText(file: FileHandle, range: FileRange): Promise<string> {
  if (range.size > MAX_OVF_BYTES) throw new CausewayError('source.description-invalid', `an OVF of ${range.size} bytes`);
  return (await readAt(file, range, 0, range.size)).toString('utf8');
}
