import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { RetryContextOptions } from '../../electron/engine/cloud-resources/retry-context.ts';
import { createOnce } from '../../electron/engine/http/create-once.ts';
import { runChecks } from '../../electron/engine/endpoint-checks/run-checks.ts';
import type { DiskReader } from '../../electron/engine/ports/disk-reader.ts';
import type { Snapshot, SourcePlatform } from '../../electron/engine/ports/source-platform.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { extentsFrom, type Extent } from '../../shared/model/extent.ts';
import type { Vm } from '../../shared/model/vm.ts';
import { openToyApi, toyConnection, type ToyExport } from './toy-api.ts';

const block = 64 * 1024;

/**
 * The toy platform as a source. An export of a VM copies its disks into a folder that this computer can read; what changed
 * is found by comparing the blocks of two exports.
 *
 * @param folder where the platform puts the disks of exports, as `<export>-<disk>`
 */
export function createToySource(
  connection: unknown,
  folder: string,
  options: RetryContextOptions = {},
): SourcePlatform {
  const api = openToyApi(toyConnection.parse(connection), options);
  const path = (exportId: string, diskId: string): string => join(folder, `${exportId}-${diskId}`);
  const vms = (signal: AbortSignal) => api.vms.list({}, signal);
  const byTag = async (tag: string, signal: AbortSignal): Promise<ToyExport | undefined> =>
    (await api.exports.list({ name: tag }, signal))[0];
  const describe = async (vmId: string, signal: AbortSignal): Promise<Vm> => {
    const found = (await vms(signal)).find(({ id }) => id === vmId);
    if (found === undefined)
      throw new CausewayError('source.vm-not-found', `the toy platform has no VM ${vmId}`, { details: { vmId } });
    return {
      id: found.id,
      name: found.name,
      os_type: 'linux',
      vcpus: 1,
      memory_mb: 512,
      disks: found.disks.map(({ id, sizeBytes }) => ({ id, size_bytes: sizeBytes })),
      nics: [],
    };
  };
  return {
    check: (signal) =>
      runChecks([{ name: 'List VMs', essential: true, run: async (s) => `${(await vms(s)).length} VMs` }], signal),
    listVms: async (signal) =>
      (await vms(signal)).map(({ id, name, disks }) => ({
        id,
        name,
        os_type: 'linux',
        power: 'running',
        diskCount: disks.length,
        totalBytes: disks.reduce((sum, disk) => sum + disk.sizeBytes, 0),
      })),
    describeVm: describe,
    options: async () => ({}),
    prepare: async (vmId, _environment, signal) => void (await describe(vmId, signal)),
    async createSnapshot({ vmId, tag, base }, signal) {
      const before = await byTag(tag, signal);
      const {
        timing: { backOff, looksBeforeCreatingAgain: looks },
        clock,
        random,
      } = api;
      const made =
        before ??
        (await createOnce(
          {
            create: (s) => api.exports.create({ name: tag, vmId, labels: { base: base?.id ?? '' } }, s),
            find: (s) => byTag(tag, s),
          },
          { backOff, clock, random, looks },
          signal,
        ));
      if (made.status === 'FAILED') {
        await api.exports.delete(made.id, signal);
        throw new CausewayError('source.snapshot-failed', `export ${tag} of VM ${vmId} failed on the platform`, {
          details: { vmId, tag },
          retryable: true,
        });
      }
      return {
        id: made.id,
        tag,
        vmId,
        takenAt: new Date(0).toISOString(),
        disks: made.disks.map(({ id, sizeBytes }) => ({ diskId: id, sizeBytes })),
        state: { base: made.labels['base'] ?? '' },
      };
    },
    isAlive: async (snapshot, signal) => (await api.exports.get(snapshot.id, signal)) !== undefined,
    async assertUnchanged(snapshot, signal) {
      // An export never changes; it can only be deleted.
      if ((await api.exports.get(snapshot.id, signal)) === undefined)
        throw new CausewayError('source.snapshot-lost', `export ${snapshot.tag} is gone`, {
          details: { tag: snapshot.tag },
        });
    },
    async openDisk(snapshot, diskId, base, signal) {
      const disk = snapshot.disks.find((each) => each.diskId === diskId);
      if (disk === undefined)
        throw new CausewayError('source.disk-not-found', `export ${snapshot.tag} has no disk ${diskId}`, {
          details: { diskId },
        });
      const isBase =
        base !== undefined &&
        snapshot.state['base'] === base.id &&
        (await api.exports.get(base.id, signal)) !== undefined;
      const comparable =
        isBase && base.disks.some((each) => each.diskId === diskId && each.sizeBytes === disk.sizeBytes);
      return openReader(path(snapshot.id, diskId), comparable ? path(base.id, diskId) : undefined, disk.sizeBytes);
    },
    promoteToBase: async (snapshot: Snapshot, former, signal) => {
      if (former !== undefined && former.id !== snapshot.id) await api.exports.delete(former.id, signal);
    },
    discardSnapshot: (snapshot, _base, signal) => api.exports.delete(snapshot.id, signal),
    async discardPending({ tag }, signal) {
      const pending = await byTag(tag, signal);
      if (pending !== undefined) await api.exports.delete(pending.id, signal);
    },
    deleteBase: (base, signal) => api.exports.delete(base.id, signal),
    close: async () => api.close(),
  };
}

async function openReader(file: string, baseFile: string | undefined, sizeBytes: number): Promise<DiskReader> {
  const lost = (cause: unknown): never => {
    throw new CausewayError('source.read-failed', `${file} can't be read`, { cause });
  };
  const disk = await open(file).catch(lost);
  const base = baseFile === undefined ? undefined : await open(baseFile).catch(lost);
  const refuse = (signal: AbortSignal): void => {
    if (signal.aborted) throw new CausewayError('general.cancelled', 'reading was cancelled');
  };
  async function* extents(signal: AbortSignal): AsyncIterable<Extent> {
    const [bytes, former] = [Buffer.alloc(block), Buffer.alloc(block)];
    let pending: Extent | undefined;
    for (let offset = 0; offset < sizeBytes; offset += block) {
      refuse(signal);
      const { bytesRead: length } = await disk.read(bytes, 0, block, offset);
      const part = bytes.subarray(0, length);
      if (base !== undefined) {
        await base.read(former, 0, length, offset);
        if (part.equals(former.subarray(0, length))) continue;
      }
      const kind = part.every((byte) => byte === 0) ? 'zero' : 'data';
      const follows = pending?.kind === kind && pending.offset + pending.length === offset;
      if (pending !== undefined && !follows) yield pending;
      pending =
        follows && pending !== undefined ? { ...pending, length: pending.length + length } : { offset, length, kind };
    }
    if (pending !== undefined) yield pending;
  }
  let closing: Promise<void> | undefined;
  return {
    sizeBytes,
    coverage: base === undefined ? 'allocated' : 'changed',
    granularityBytes: block,
    extents: (signal, fromBytes = 0) => extentsFrom(extents(signal), fromBytes),
    async read(offset, into, signal) {
      refuse(signal);
      const { bytesRead } = await disk.read(into, 0, into.length, offset).catch(lost);
      refuse(signal);
      if (bytesRead !== into.length) lost(new Error(`${bytesRead} of ${into.length} bytes at ${offset}`));
    },
    close: () => (closing ??= Promise.all([disk.close(), base?.close()]).then(() => undefined)),
  };
}
