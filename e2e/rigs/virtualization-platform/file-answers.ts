import { escapeXml } from '../../../electron/engine/platforms/virtualization-platform/client/xml.ts';
import type { KitRequest, Reply } from '../cloud-kit/call.ts';
import type { ExportLeases } from './export-lease/export-leases.ts';
import type { VsphereWorld } from './world.ts';

/** Files of datastores as a management server gives them: descriptors, and flat files by ranges. Undefined for everything else. */
export async function datastoreAnswer(
  world: VsphereWorld,
  { url, method, headers }: KitRequest,
): Promise<Reply | undefined> {
  if (!url.pathname.startsWith('/folder/')) return undefined;
  const session = /vmware_soap_session=("[^"]*"|[^;\s]*)/.exec(headers.cookie ?? '')?.[1];
  if (session === undefined || world.expiredCookies.has(session) || !world.seenCookies.has(session))
    return { status: 401 };
  if (url.searchParams.get('dcPath') !== (world.isSingleHost ? 'ha-datacenter' : 'DC0')) return { status: 404 };
  const path = `[${url.searchParams.get('dsName') ?? ''}] ${decodeURIComponent(url.pathname.slice('/folder/'.length))}`;
  const disk = world.find(path.replace(/-flat\.vmdk$/, '.vmdk'));
  const isDelta = /-\d{6}(-flat)?\.vmdk$/.test(path);
  if (disk === undefined || (path.endsWith('-flat.vmdk') && isDelta)) return { status: 404 };
  if (disk.isLive) return { status: 500 };
  const modified = { 'last-modified': 'Sat, 01 Aug 2026 10:00:00 GMT', 'accept-ranges': 'bytes' };
  const name = path.replace(/^.*\//, '').replace(/\.vmdk$/, '');
  const text = isDelta
    ? `# Disk DescriptorFile\nversion=1\nCID=fffffffe\nparentCID=12345678\ncreateType="seSparse"\nRW ${disk.sizeBytes / 512} SESPARSE "${name}-sesparse.vmdk"\n`
    : `# Disk DescriptorFile\nversion=1\nCID=fffffffe\nparentCID=ffffffff\ncreateType="vmfs"\nRW ${disk.sizeBytes / 512} VMFS "${name}-flat.vmdk"\n`;
  const isFlat = path.endsWith('-flat.vmdk');
  const size = isFlat ? disk.sizeBytes : Buffer.byteLength(text);
  const read = async (offset: number, length: number): Promise<Buffer> =>
    isFlat ? disk.read(offset, length) : Buffer.from(text).subarray(offset, offset + length);
  const range = /^bytes=(\d+)-(\d+)$/.exec(String(headers.range ?? ''));
  if (method === 'HEAD' || range === null) {
    return {
      status: 200,
      headers: { ...modified, 'content-length': String(size) },
      ...(method === 'HEAD' ? {} : { body: await read(0, size) }),
    };
  }
  const [first, last] = [Number(range[1]), Math.min(Number(range[2]), size - 1)];
  const body = await read(first, last - first + 1);
  return {
    status: 206,
    headers: { ...modified, 'content-range': `bytes ${first}-${last}/${size}`, 'content-length': String(body.length) },
    body,
  };
}

/** An export of a snapshot that has been asked for; its id. */
export function beginExport(world: VsphereWorld, leases: ExportLeases, snapshotId: string): string | undefined {
  const vm = [...world.vms.values()].find(({ snapshots }) => snapshots.has(snapshotId));
  const frozen = vm?.snapshots.get(snapshotId);
  if (vm === undefined || frozen === undefined) return undefined;
  return leases.begin(
    frozen.map(({ disk, content }) => ({
      key: `/${vm.id}/ParaVirtualSCSIController0:${disk.unitNumber}`,
      disk: {
        path: world.linkOf(vm, snapshotId, disk),
        sizeBytes: content.sizeBytes,
        read: (offset, length) => content.read(offset, length),
      },
    })),
  );
}

/** The properties of a lease as the property collector answers them. */
export function leaseAnswer(leases: ExportLeases, id: string): string {
  const state = leases.state(id);
  const properties = [`<propSet><name>state</name><val xsi:type="HttpNfcLeaseState">${state.state}</val></propSet>`];
  if (state.state === 'ready') {
    const devices = state.devices.map(
      ({ key, url, isDisk, sslThumbprint = '' }) =>
        `<deviceUrl><key>${escapeXml(key)}</key><importKey>${escapeXml(key)}</importKey><url>${escapeXml(url)}</url><sslThumbprint>${sslThumbprint}</sslThumbprint><disk>${String(isDisk)}</disk></deviceUrl>`,
    );
    const vmId = state.devices[0]?.key.split('/')[1] ?? '';
    properties.push(
      `<propSet><name>info</name><val xsi:type="HttpNfcLeaseInfo"><lease type="HttpNfcLease">${id}</lease><entity type="VirtualMachine">${escapeXml(vmId)}</entity>${devices.join('')}<totalDiskCapacityInKB>0</totalDiskCapacityInKB><leaseTimeout>${state.timeoutSeconds}</leaseTimeout></val></propSet>`,
    );
  }
  return `<returnval><objects><obj type="HttpNfcLease">${id}</obj>${properties.join('')}</objects></returnval>`;
}
