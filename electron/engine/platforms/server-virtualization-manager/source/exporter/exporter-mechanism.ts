import { CausewayError, toErrorRecord } from '../../../../../../shared/model/causeway-error.ts';
import type { DiskReader } from '../../../../ports/disk-reader.ts';
import type { LedgerEntry } from '../../../../ports/ledger.ts';
import { createOnce } from '../../../../http/create-once.ts';
import type { Exporter, ExporterSnapshot } from '../../client/exporter.ts';
import type { VmParts } from '../inventory.ts';
import {
  ledgerOf,
  markText,
  type DiskMark,
  type MarkedDisk,
  type SourceContext,
  type TakeRequest,
} from '../source-context.ts';
import { chunkExtents } from './chunk-extents.ts';
import { ExporterReader } from './exporter-reader.ts';

const snapshotKey = (tag: string): string => `${tag}/exporter`;

/**
 * Snapshots of the exporter service: all disks of a VM in one go, read by ranges, without a worker. The last one stays as the base: while it
 * exists, what was written since lies at another place on the repository.
 */
export class ExporterMechanism {
  readonly #context: SourceContext;

  constructor(context: SourceContext) {
    this.#context = context;
  }

  /**
   * The address of the server whose exporter knows the VM: where it runs, else another one of its pool.
   *
   * @returns why there is none, in words, when no server answers
   */
  async find(
    { vm }: VmParts,
    signal: AbortSignal,
  ): Promise<{ readonly address: string } | { readonly reasons: readonly string[] }> {
    const { manager } = this.#context;
    const servers = (await manager.servers.list(signal))
      .filter(
        (server) => server.id.value === vm.serverId?.value || server.serverPoolId?.value === vm.serverPoolId?.value,
      )
      .sort(
        (one, other) => Number(other.id.value === vm.serverId?.value) - Number(one.id.value === vm.serverId?.value),
      );
    // All at once: a server without the service may not answer at all.
    const seen = await Promise.all(
      servers.map(async (server): Promise<{ readonly address: string } | string> => {
        const address = server.hostname ?? server.ipAddress ?? server.name;
        if (!address) return 'a server has no address';
        try {
          return (await manager.exporter(address).knows(vm.id.value, signal))
            ? { address }
            : `${address} does not know the VM`;
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof CausewayError)) throw error;
          return `${address}: ${toErrorRecord(error).message}`;
        }
      }),
    );
    const reasons = seen.filter((each) => typeof each === 'string');
    const found = seen.find((each) => typeof each !== 'string');
    if (found !== undefined) return found;
    return { reasons };
  }

  /** Takes the snapshot and resolves with the disks' marks in the order of the VM's disks. */
  async take({ tag, vm }: TakeRequest, address: string, signal: AbortSignal): Promise<readonly DiskMark[]> {
    const { manager } = this.#context;
    const vmId = vm.vm.id.value;
    const ledger = ledgerOf(this.#context);
    const known = ledger.find('source-snapshot', snapshotKey(tag)) !== undefined;
    // Snapshots have no names: one whose answer was lost is told by those that there were before.
    const former = known ? [] : (await manager.exporter(address).list(vmId, signal)).map(({ id }) => id);
    const { resource, entry } = await ledger.ensure<ExporterSnapshot>(
      {
        kind: 'source-snapshot',
        key: snapshotKey(tag),
        lifetime: 'replica',
        details: { vmId, server: address, former },
      },
      {
        find: (given, within) => this.#lost(given, within),
        get: (id, given, within) => this.#exporterOf(given).get(vmId, id, within),
        create: (given, within) =>
          createOnce(
            { create: (s) => this.#exporterOf(given).create(vmId, s), find: (s) => this.#lost(given, s) },
            {
              backOff: manager.timing.backOff,
              clock: manager.clock,
              random: manager.random,
              looks: manager.timing.looksBeforeCreatingAgain,
            },
            within,
          ),
      },
      signal,
    );
    const server = markText(entry.details, 'server');
    return vm.disks.map(({ disk }) => {
      const file = resource.disks.find(({ parent_path: path }) => path.split('/').at(-1) === disk.id.value);
      if (file === undefined) {
        throw new CausewayError(
          'source.snapshot-failed',
          `the exporter's snapshot of VM ${vmId} lacks disk ${disk.id.value}: it only takes disks in OCFS2 repositories`,
          { details: { vmId, diskId: disk.id.value } },
        );
      }
      return { mechanism: 'exporter', server, vmId, snapshotId: resource.id, file: file.name };
    });
  }

  async isAlive({ mark }: MarkedDisk, signal: AbortSignal): Promise<boolean> {
    return (await this.#read(mark, signal)) !== undefined;
  }

  async open(
    { diskId, sizeBytes, mark }: MarkedDisk,
    base: MarkedDisk | undefined,
    signal: AbortSignal,
  ): Promise<DiskReader> {
    const chunks = (await this.#read(mark, signal))?.disks.find(({ name }) => name === mark['file'])?.chunks;
    if (chunks === undefined)
      throw new CausewayError(
        'source.snapshot-lost',
        `the snapshot of disk ${diskId} no longer exists at the exporter`,
      );
    const former =
      base === undefined || base.sizeBytes !== sizeBytes
        ? undefined
        : (await this.#read(base.mark, signal))?.disks.find(({ name }) => name === base.mark['file'])?.chunks;
    const disk = {
      exporter: this.#context.manager.exporter(markText(mark, 'server')),
      vmId: markText(mark, 'vmId'),
      snapshotId: markText(mark, 'snapshotId'),
      file: markText(mark, 'file'),
      sizeBytes,
    };
    return new ExporterReader(
      disk,
      former === undefined ? 'allocated' : 'changed',
      chunkExtents(chunks, former, sizeBytes, `disk ${diskId}`),
    );
  }

  async remove(entry: LedgerEntry, signal: AbortSignal): Promise<void> {
    await ledgerOf(this.#context).release(
      entry,
      {
        findId: async (given, within) => (await this.#lost(given, within))?.id,
        remove: (id, given, within) => this.#exporterOf(given).remove(markText(given.details, 'vmId'), id, within),
      },
      signal,
    );
  }

  async findRecorded(entry: LedgerEntry, signal: AbortSignal): Promise<{ readonly id: string } | undefined> {
    if (entry.resourceId === undefined) return this.#lost(entry, signal);
    return this.#exporterOf(entry).get(markText(entry.details, 'vmId'), entry.resourceId, signal);
  }

  /** The one snapshot that is new since the intent, and is no other entry's. With several, none can be told for sure. */
  async #lost(entry: LedgerEntry, signal: AbortSignal): Promise<ExporterSnapshot | undefined> {
    const former = Array.isArray(entry.details['former']) ? entry.details['former'] : [];
    const others = ledgerOf(this.#context)
      .list({ kind: 'source-snapshot' })
      .map(({ resourceId }) => resourceId);
    const [only, ...more] = (await this.#exporterOf(entry).list(markText(entry.details, 'vmId'), signal)).filter(
      ({ id }) => !former.includes(id) && !others.includes(id),
    );
    return more.length === 0 ? only : undefined;
  }

  #exporterOf({ details }: LedgerEntry): Exporter {
    return this.#context.manager.exporter(markText(details, 'server'));
  }

  #read(mark: DiskMark, signal: AbortSignal): Promise<ExporterSnapshot | undefined> {
    return this.#context.manager
      .exporter(markText(mark, 'server'))
      .get(markText(mark, 'vmId'), markText(mark, 'snapshotId'), signal);
  }
}
