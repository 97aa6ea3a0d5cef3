import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { QmpCarrier } from '../../qmp/qmp-carrier.ts';
import { QmpError } from '../../qmp/qmp-error.ts';
import type { Snapshot } from '../../ports/source-platform.ts';
import { findBitmap, usableBase } from './bitmap-actions.ts';
import type { VmEndpoint } from './endpoints.ts';
import { filterFleecing } from './fleecing-filter.ts';
import { jobFleecing } from './fleecing-job.ts';
import type { FleecedDisk, Fleecing } from './fleecing.ts';
import { bitmapName, snapshotNames } from './names.ts';
import { addExport, ensureNbdServer } from './nbd-exports.ts';
import { whileFrozen, whilePaused, type HoldRecord } from './pause.ts';
import { needObject, numberAt, objectAt } from './qmp-values.ts';
import { snapshotStateToJson } from './snapshot-state.ts';
import { undoSnapshot } from './undo-snapshot.ts';
import { readDisks, type VmDisk } from './vm-disks.ts';

const DEFAULT_GRANULARITY = 65_536;
const UNDO_DEADLINE = 120_000;

export type FleecingChoice = 'auto' | 'filter' | 'job';

export interface SnapshotRequest {
  readonly tag: string;
  readonly environment: JsonObject;
  readonly base?: Snapshot;
}

/**
 * Takes a snapshot of all disks at one moment, switches change tracking over, and exports the disks over NBD.
 * @throws CausewayError source.snapshot-failed when QEMU refused a step; all is undone then
 */
export async function takeSnapshot(
  vm: VmEndpoint,
  request: SnapshotRequest,
  choice: FleecingChoice,
  record: HoldRecord,
  signal: AbortSignal,
): Promise<Snapshot> {
  const ways = await fleecingWays(vm.qmp, choice, signal);
  for (const [index, fleecing] of ways.entries()) {
    try {
      return await attempt(vm, request, fleecing, record, signal);
    } catch (error) {
      // The reason may be a cancel: what was begun is undone all the same.
      await undoSnapshot(vm, request.tag, request.base?.tag, [], AbortSignal.timeout(UNDO_DEADLINE)).catch(
        (undoing: unknown) => {
          const why = [error, undoing].map((reason) => (reason instanceof Error ? reason.message : String(reason)));
          throw new CausewayError('source.snapshot-failed', `${why[0]}; and it could not be undone: ${why[1]}`, {
            cause: error,
          });
        },
      );
      if (!(error instanceof QmpError)) throw error;
      if (index === ways.length - 1) throw new CausewayError('source.snapshot-failed', error.message, { cause: error });
    }
  }
  throw new CausewayError('general.bug', 'no supported way to take a snapshot');
}

async function attempt(
  vm: VmEndpoint,
  request: SnapshotRequest,
  fleecing: Fleecing,
  record: HoldRecord,
  signal: AbortSignal,
): Promise<Snapshot> {
  const { qmp } = vm;
  const disks = (await readDisks(qmp, signal)).map((disk) => plan(disk, request));
  if (disks.length === 0) throw new CausewayError('source.disk-not-found', `${vm.id} has no disks`);
  const busy = disks.find(({ disk }) => disk.filter !== undefined);
  if (busy !== undefined)
    throw new CausewayError('source.snapshot-failed', `disk ${busy.disk.id} is already in use by another snapshot`);
  await ensureNbdServer(qmp, vm.nbd, signal);
  await fleecing.prepare(qmp, disks, vm, signal);
  const begin = () => fleecing.begin(qmp, disks, signal);
  const moment = () => (fleecing.needsPause && disks.length > 1 ? whilePaused(qmp, record, signal, begin) : begin());
  await quiesced(vm, request.environment, signal, moment);
  const takenAt = new Date().toISOString();
  await fleecing.expose(qmp, disks, signal);
  for (const { disk, names, baseBitmap } of disks) {
    const bitmap =
      baseBitmap === undefined
        ? undefined
        : { name: baseBitmap, ...(fleecing.kind === 'filter' ? { node: disk.node } : {}) };
    await addExport(qmp, names.exportId, names.overlay, bitmap, signal);
    if (fleecing.kind === 'filter') await addExport(qmp, names.probeExportId, names.access, undefined, signal);
  }
  const granularityOf = (entry: FleecedDisk) =>
    (entry.baseBitmap === undefined ? undefined : findBitmap(entry.disk, entry.baseBitmap)?.granularity) ??
    entry.newBitmap.granularity;
  return {
    id: request.tag,
    tag: request.tag,
    vmId: vm.id,
    takenAt,
    disks: disks.map(({ disk }) => ({ diskId: disk.id, sizeBytes: Math.ceil(disk.sizeBytes / 512) * 512 })),
    state: snapshotStateToJson(fleecing.kind, disks, request.base?.tag, granularityOf),
  };
}

function plan(disk: VmDisk, request: SnapshotRequest): FleecedDisk {
  const baseName = request.base === undefined ? undefined : bitmapName(request.base.tag);
  const before = request.base?.disks.find((candidate) => candidate.diskId === disk.id)?.sizeBytes;
  const base = baseName === undefined ? undefined : usableBase(disk, baseName, before);
  const wanted = request.environment['bitmap_granularity'];
  return {
    disk,
    names: snapshotNames(request.tag, disk.id),
    newBitmap: {
      name: bitmapName(request.tag),
      persistent: disk.keepsBitmaps,
      // Of one granularity with the base's, so that the two can be merged.
      granularity: base?.granularity ?? (typeof wanted === 'number' ? wanted : DEFAULT_GRANULARITY),
    },
    baseBitmap: base?.name,
  };
}

async function quiesced(
  vm: VmEndpoint,
  environment: JsonObject,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  if (environment['quiesce'] !== true) return work();
  const socket = environment['guest_agent_socket'];
  if (typeof socket !== 'string')
    throw new CausewayError('source.quiesce-failed', 'quiesce is set, but guest_agent_socket is not');
  return whileFrozen(vm.host.socket(socket), signal, work);
}

async function fleecingWays(
  qmp: QmpCarrier,
  choice: FleecingChoice,
  signal: AbortSignal,
): Promise<readonly Fleecing[]> {
  if (choice === 'job') return [jobFleecing];
  if (choice === 'filter') return [filterFleecing];
  const version = objectAt(needObject(await qmp.execute('query-version', {}, signal), 'query-version'), 'qemu');
  const number = (numberAt(version, 'major') ?? 0) * 100 + (numberAt(version, 'minor') ?? 0);
  if (number < 402) throw new CausewayError('source.unsupported', 'change tracking needs QEMU 4.2 or newer');
  // A device in an I/O thread refuses the filter; the job goes where the device is.
  return number >= 701 ? [filterFleecing, jobFleecing] : [jobFleecing];
}
