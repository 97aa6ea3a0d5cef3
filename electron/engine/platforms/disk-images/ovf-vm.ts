import { stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { bytesAt, type FileRange, type ImageBytes } from '../../images/image-bytes.ts';
import type { ImageLocation } from '../../images/image-files.ts';
import type { ImageDisk, ImageVm } from './image-vm.ts';
import { MAX_OVF_BYTES, parseOvf, type OvfVm } from './ovf.ts';
import { readDescription } from './read-description.ts';
import { indexTar } from './tar-index.ts';

/** The VM of an OVF file; its disks lie beside it. @throws CausewayError source.description-invalid */
export async function ovfVm(path: string, id: string, folder: string): Promise<ImageVm> {
  const ovf = await readDescription(path, folder, async (file) =>
    parseOvf(await readText(file, { offset: 0, size: file.sizeBytes })),
  );
  const disks = ovf.disks.map((disk) => toDisk(disk, { path: join(dirname(path), plainHref(disk.href)) }));
  for (const disk of disks) {
    await stat(disk.location.path).catch(() => {
      throw new CausewayError('source.description-invalid', `the OVF names ${disk.id}, which does not exist`);
    });
  }
  return toVm(ovf, path, id, disks);
}

/** The VM of an OVA archive; its disks are read where they lie in the archive. */
export function ovaVm(path: string, id: string, folder: string): Promise<ImageVm> {
  return readDescription(path, folder, async (file) => {
    const members = await indexTar(file);
    const description = members.find((member) => extname(member.name).toLowerCase() === '.ovf');
    if (description === undefined)
      throw new CausewayError('source.description-invalid', `${basename(path)} contains no OVF`);
    const ovf = parseOvf(await readText(file, description));
    const disks = ovf.disks.map((disk) => {
      const member = members.find((candidate) => candidate.name === disk.href || candidate.name === `./${disk.href}`);
      if (member === undefined)
        throw new CausewayError(
          'source.description-invalid',
          `the OVF names ${disk.href}, which is not in the archive`,
        );
      return toDisk(disk, { path, range: { offset: member.offset, size: member.size }, name: basename(disk.href) });
    });
    return toVm(ovf, path, id, disks);
  });
}

function toVm(ovf: OvfVm, path: string, id: string, disks: readonly ImageDisk[]): ImageVm {
  if (new Set(disks.map((disk) => disk.id)).size < disks.length) {
    throw new CausewayError('source.description-invalid', 'the OVF uses one file for two disks');
  }
  return {
    id,
    name: ovf.name ?? basename(path, extname(path)),
    disks,
    nics: ovf.nics.map((nic) => ({
      network: nic.network,
      ...(nic.macAddress === undefined ? {} : { macAddress: nic.macAddress }),
    })),
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

async function readText(file: ImageBytes, range: FileRange): Promise<string> {
  if (range.size > MAX_OVF_BYTES)
    throw new CausewayError('source.description-invalid', `an OVF of ${range.size} bytes`);
  return (await bytesAt(file, range.offset, range.size)).toString('utf8');
}
