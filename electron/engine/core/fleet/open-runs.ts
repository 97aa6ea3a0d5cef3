import { isCutOver } from '../../../../shared/model/machine-life.ts';
import type { Placement } from '../../../../shared/model/execution.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import { inventoryFiles } from '../../inventory/inventory-files.ts';
import type { OpenRun } from '../../ports/replica-fleet.ts';
import { storedEndpoint, type CoreContext } from '../core-context.ts';
import { projectFolderOf } from '../replica-environments.ts';

/** Executions and deployments that have not ended, as a fleet distributes them: one for each replica. */
export function openRuns(core: CoreContext): OpenRun[] {
  const found = new Map<string, OpenRun>();
  const add = (replicaId: string, createdAt: string, placement: Placement | undefined, isCut: boolean): void => {
    const replica = core.store.replicas.find(replicaId);
    if (replica === undefined) return;
    found.set(replicaId, {
      replicaId,
      wave: replica.wave ?? '',
      isUrgent: placement?.urgent ?? isCut,
      since: Date.parse(createdAt),
      endpoints: [replica.sourceEndpointId, replica.destinationEndpointId],
      uses: placement?.uses ?? endpointUses(core, replica),
    });
  };
  for (const { replicaId, createdAt, options } of core.store.executions.listOpen())
    add(replicaId, createdAt, options.placement, false);
  // The executions of a migration are part of its deployment.
  for (const { replicaId, createdAt, options } of core.store.deployments.listOpen())
    add(replicaId, createdAt, options.placement, isCutOver(options));
  return [...found.values()];
}

/** What an execution takes a part of, by the names that limits have: its endpoints and the link between them, its host, its datastores. */
export function usesOf(core: CoreContext, replica: Replica): string[] {
  const source = storedEndpoint(core, replica.sourceEndpointId).name;
  const machine = inventoryFiles(projectFolderOf(core))
    .each()
    .flatMap(({ read }) =>
      'thing' in read && (read.thing.origin.kind === 'file' || read.thing.origin.name === source)
        ? read.thing.machines
        : [],
    )
    .find(({ vm }) => vm.id === replica.vmId);
  const host = machine?.labels?.host;
  const datastores = new Set(machine?.vm.disks.flatMap(({ storage_backend: name }) => name ?? []));
  return [
    ...endpointUses(core, replica),
    ...(host === undefined ? [] : [`host ${source}/${host}`]),
    ...[...datastores].map((name) => `datastore ${source}/${name}`),
  ];
}

function endpointUses(core: CoreContext, replica: Replica): string[] {
  const [source, destination] = [replica.sourceEndpointId, replica.destinationEndpointId].map(
    (id) => core.store.endpoints.find(id)?.name ?? id,
  );
  return [...new Set([`endpoint ${source}`, `endpoint ${destination}`]), `link ${source} > ${destination}`];
}
