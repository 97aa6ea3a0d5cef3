import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { defaultsFiles } from '../../project-files/defaults-files.ts';
import { newId } from '../../store/ids.ts';
import { endpointOf, openSource, storedEndpoint, using, type Handler } from '../core-context.ts';
import { projectFolderOf } from '../replica-environments.ts';

/**
 * Creates replicas of many VMs with one look at the source. Their settings are those of the project and of their wave; what is missing
 * there is no obstacle, because the wave's readiness says it. Waves that are not there are made.
 */
export const createReplicas: Handler<'replica.createMany'> = async (
  core,
  { source: from, destination: to, machines },
  signal,
) => {
  const source = endpointOf(core, from);
  const destination = endpointOf(core, to);
  await core.accepted.load([storedEndpoint(core, source.id), storedEndpoint(core, destination.id)]);
  const known = await using(openSource(core, source), (platform) => platform.listVms(signal));
  const byId = new Map(known.map((vm) => [vm.id, vm]));
  const byName = Map.groupBy(known, ({ name }) => name);
  const replicas = core.store.replicas.list();
  const names = new Set(replicas.map(({ name }) => name));
  const present = new Map(
    replicas
      .filter(
        ({ sourceEndpointId, destinationEndpointId }) =>
          sourceEndpointId === source.id && destinationEndpointId === destination.id,
      )
      .map((replica) => [replica.vmId, replica]),
  );
  const files = defaultsFiles(projectFolderOf(core));
  const waves = new Set(files.waves.list().map(({ name }) => name));
  for (const { wave } of machines)
    if (wave !== undefined && core.waves.isActive(wave)) throw new CausewayError('wave.active', `wave ${wave}`);
  const created: string[] = [];
  const skipped: { vm: string; name: string; reason: 'not-found' | 'ambiguous' | 'exists' }[] = [];
  for (const { vm, name: called, wave } of machines) {
    signal.throwIfAborted();
    const sameName = byName.get(called) ?? [];
    const found = byId.get(vm) ?? (sameName.length === 1 ? sameName[0] : undefined);
    const reason =
      found === undefined
        ? sameName.length > 1
          ? 'ambiguous'
          : 'not-found'
        : present.has(found.id)
          ? 'exists'
          : undefined;
    if (found === undefined || reason !== undefined) {
      skipped.push({ vm, name: called, reason: reason ?? 'not-found' });
      continue;
    }
    if (wave !== undefined && !waves.has(wave)) {
      files.waves.save({ name: wave, environments: {} });
      waves.add(wave);
    }
    const name = freeName(names, found.name);
    const replica = {
      id: newId('rep'),
      name,
      sourceEndpointId: source.id,
      destinationEndpointId: destination.id,
      vmId: found.id,
      vmName: found.name,
      sourceEnvironment: {},
      destinationEnvironment: {},
      ...(wave === undefined ? {} : { wave }),
      createdAt: new Date().toISOString(),
    };
    core.descriptions.addReplica(replica);
    names.add(name);
    present.set(found.id, { ...replica, disks: [] });
    created.push(replica.id);
  }
  if (created.length > 0) core.changed();
  return { created, skipped };
};

function freeName(taken: ReadonlySet<string>, wanted: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(name)) return name;
  }
}
