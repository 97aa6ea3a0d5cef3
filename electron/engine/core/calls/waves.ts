import type { Defaults, Wave } from '../../../../shared/environment/layers.ts';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { plannedStarts } from '../../../../shared/model/wave-calendar.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import { defaultsFiles, type DefaultsFiles } from '../../project-files/defaults-files.ts';
import { waveOrder } from '../../../../shared/model/wave-order.ts';
import { replicaOf, storedEndpoint, type CallsOf, type CoreContext, type Handlers } from '../core-context.ts';
import { projectFolderOf } from '../replica-environments.ts';
import { acceptUses } from '../trust/entered-uses.ts';
import { diskKeyUse } from '../trust/gate.ts';
import { estimateWave } from '../waves/estimate-wave.ts';
import { measuredReplica } from '../waves/measured-replica.ts';
import { startWave, usualAtOnce } from '../waves/start-wave.ts';
import { waveDetail, waveSummaries } from '../waves/wave-view.ts';
import { refuseActive } from './replica-update.ts';

/** Longer than anybody plans by the week. */
const longestMs = 400 * 86_400_000;

export const waveCalls: Handlers<CallsOf<'wave'>> = {
  async 'wave.list'(core) {
    return waveSummaries(core, filesOf(core).waves.list());
  },

  async 'wave.show'(core, { wave }) {
    return detail(core, wave);
  },

  async 'wave.estimate'(core, { wave, action, atOnce, bytesPerSecond }) {
    const found = waveOf(filesOf(core), wave);
    return estimateWave(
      core,
      found,
      { action, atOnce: atOnce ?? found.plan?.atOnce ?? usualAtOnce, bytesPerSecond },
      Date.now(),
    );
  },

  async 'wave.measuredChanges'(core, { source }) {
    const sourceId = source === undefined ? undefined : storedEndpoint(core, source).id;
    return core.store.replicas
      .list()
      .filter(
        ({ sourceEndpointId, lastSuccess }) =>
          lastSuccess !== undefined && (sourceId === undefined || sourceEndpointId === sourceId),
      )
      .flatMap(({ id, vmId, vmName }) => {
        const bytesPerSecond = measuredReplica(core.store, id).changeBytesPerSecond;
        return bytesPerSecond === undefined ? [] : [{ vm: vmId, name: vmName, bytesPerSecond }];
      });
  },

  async 'wave.create'(core, { wave, replicas, plan }) {
    const files = filesOf(core);
    if (files.waves.find(wave) !== undefined) throw new CausewayError('engine.name-taken', `wave ${wave}`);
    const members = replicas.map((reference) => replicaOf(core, reference));
    refuseMoves(core, members, wave);
    files.waves.save({ name: wave, environments: {}, ...(plan === undefined ? {} : { plan }) });
    move(core, members, wave);
    return detail(core, wave);
  },

  async 'wave.assign'(core, { wave, replicas }) {
    if (wave !== null) waveOf(filesOf(core), wave);
    const members = replicas.map((reference) => replicaOf(core, reference));
    refuseMoves(core, members, wave ?? undefined);
    const before = members.map(({ id, wave: former }) => ({ replica: id, wave: former ?? null }));
    move(core, members, wave ?? undefined);
    return { moved: before };
  },

  async 'wave.rename'(core, { wave, name }) {
    const files = filesOf(core);
    const former = waveOf(files, wave);
    if (name === wave) return detail(core, wave);
    if (files.waves.find(name) !== undefined) throw new CausewayError('engine.name-taken', `wave ${name}`);
    const members = membersOf(core, wave);
    refuseMoves(core, members, name);
    // In an order that leaves every replica with a wave that is there, whenever it ends.
    files.waves.save({ ...former, name });
    move(core, members, name);
    core.store.waveRuns.rename(wave, name);
    files.waves.remove(wave);
    return detail(core, name);
  },

  async 'wave.plan'(core, { wave, plan }) {
    const files = filesOf(core);
    const { name, environments } = waveOf(files, wave);
    if (core.waves.isActive(name)) throw new CausewayError('wave.active', `wave ${name}`);
    const { circular } = waveOrder(membersOf(core, name), plan);
    if (circular.length > 0) throw new CausewayError('wave.order-circular', circular.join(', '));
    files.waves.save({ name, environments, ...(Object.keys(plan).length === 0 ? {} : { plan }) });
    core.changed();
    return detail(core, name);
  },

  async 'wave.start'(core, { wave, action, atOnce, options }) {
    core.gate.requireProject();
    acceptUses(
      core,
      (options.deployment?.luksKeys ?? []).map(({ secret }) => diskKeyUse(secret)),
    );
    return startWave(core, { wave, action, atOnce, options });
  },

  async 'wave.pause'(core, { wave }) {
    return core.waves.pause(wave);
  },

  async 'wave.continue'(core, { wave }) {
    core.gate.requireProject();
    return core.waves.continue(wave);
  },

  async 'wave.go'(core, { wave }) {
    core.gate.requireProject();
    return core.waves.go(wave);
  },

  async 'wave.cancel'(core, { wave, letFinish }) {
    return core.waves.cancel(wave, letFinish);
  },

  async 'wave.retry'(core, { wave }) {
    core.gate.requireProject();
    return core.waves.retry(wave);
  },

  async 'wave.calendar'(core, { from, until }) {
    const [first, last] = [Date.parse(from), Math.min(Date.parse(until), Date.parse(from) + longestMs)];
    const iso = (at: number): string => new Date(at).toISOString();
    const starts = filesOf(core)
      .waves.list()
      .flatMap(({ name, plan = {} }) =>
        plannedStarts(plan, first, last).map(({ at, until: end, kind, action, isBlackedOut }) => ({
          wave: name,
          at: iso(at),
          until: iso(end),
          kind,
          isBlackedOut,
          ...(action === undefined ? {} : { action }),
        })),
      );
    return {
      starts: starts.sort((one, other) => one.at.localeCompare(other.at)),
      missed: core.store.waveCalendar
        .listMissed()
        .map(({ wave, at, until: end, action }) => ({ wave, at: iso(at), until: iso(end), action })),
    };
  },

  async 'wave.skipMissed'(core, { wave }) {
    core.store.waveCalendar.removeMissed(wave);
    core.changed();
    return {};
  },

  async 'wave.resume'(core) {
    return core.gate.isProjectAccepted() ? core.waves.resumeInterrupted() : [];
  },
};

async function detail(core: CoreContext, reference: string) {
  const files = filesOf(core);
  const wave = waveOf(files, reference);
  const defaults: Defaults = { project: files.project(), waves: [wave] };
  const endpoints = new Set(
    membersOf(core, wave.name).flatMap(({ sourceEndpointId, destinationEndpointId }) => [
      sourceEndpointId,
      destinationEndpointId,
    ]),
  );
  await core.accepted.load([...endpoints].flatMap((id) => core.store.endpoints.find(id) ?? []));
  return waveDetail(core, wave, defaults);
}

function waveOf(files: DefaultsFiles, name: string): Wave {
  const wave = files.waves.find(name);
  if (wave === undefined) throw new CausewayError('engine.not-found', `wave ${name}`);
  return wave;
}

function membersOf(core: Pick<CoreContext, 'store'>, wave: string): Replica[] {
  return core.store.replicas.list().filter((replica) => replica.wave === wave);
}

/** Before the first is moved, so that all are moved or none. @throws CausewayError `wave.active`, `engine.execution-active`, `deployment.active` */
function refuseMoves(core: CoreContext, replicas: readonly Replica[], to: string | undefined): void {
  for (const replica of replicas) {
    if (replica.wave === to) continue;
    storedEndpoint(core, replica.destinationEndpointId);
    for (const wave of [replica.wave, to])
      if (wave !== undefined && core.waves.isActive(wave)) throw new CausewayError('wave.active', `wave ${wave}`);
    refuseActive(core, replica);
  }
}

/** A plan may put a replica where its settings have errors: the wave's readiness says so. */
function move(core: CoreContext, replicas: readonly Replica[], to: string | undefined): void {
  for (const replica of replicas) {
    const { wave, ...rest } = replica;
    if (wave !== to) core.descriptions.updateReplica(to === undefined ? rest : { ...rest, wave: to });
  }
  if (replicas.length > 0) core.changed();
}

function filesOf(core: Pick<CoreContext, 'stateFolder'>): DefaultsFiles {
  return defaultsFiles(projectFolderOf(core));
}
