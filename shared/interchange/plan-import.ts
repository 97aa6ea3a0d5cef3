import { stringify } from 'yaml';
import type { Endpoint } from '../model/endpoint.ts';
import type { Replica } from '../model/replica.ts';
import type { ImportedEndpoint, ImportedProject, ImportedReplica } from './import-project.ts';

export interface PlannedEndpoint extends Pick<ImportedEndpoint, 'name' | 'plugin' | 'connection'> {
  /** The project has one of this name, which is used instead. */
  readonly exists: boolean;
}

export interface PlannedReplica extends Omit<ImportedReplica, 'source' | 'destination'> {
  /** Names of endpoints in the project. */
  readonly source: string;
  readonly destination: string;
  /** This VM has a replica between these endpoints. */
  readonly exists: boolean;
}

export interface ImportPlan {
  readonly endpoints: readonly PlannedEndpoint[];
  readonly replicas: readonly PlannedReplica[];
}

interface ProjectNow {
  readonly endpoints: readonly Pick<Endpoint, 'id' | 'name'>[];
  readonly replicas: readonly Pick<Replica, 'vmId' | 'vmName' | 'sourceEndpointId' | 'destinationEndpointId'>[];
}

/**
 * What an import would create in a project.
 *
 * @param given names of endpoints in the project, by what payloads call them
 */
export function planImport(
  { endpoints, replicas }: ImportedProject,
  project: ProjectNow,
  given: ReadonlyMap<string, string>,
): ImportPlan {
  const known = (reference: string) => project.endpoints.find(({ id, name }) => id === reference || name === reference);
  const nameOf = (reference: string): string =>
    given.get(reference) ?? endpoints.find(({ id }) => id === reference)?.name ?? known(reference)?.name ?? reference;
  return {
    endpoints: endpoints.map(({ name, plugin, connection }) => ({
      name,
      plugin,
      connection,
      exists: known(name) !== undefined,
    })),
    replicas: replicas.map((replica) => {
      const [source, destination] = [nameOf(replica.source), nameOf(replica.destination)];
      const [from, to] = [known(source)?.id, known(destination)?.id];
      const exists = project.replicas.some(
        ({ vmId, vmName, sourceEndpointId, destinationEndpointId }) =>
          (vmName === replica.vm || vmId === replica.vm) && sourceEndpointId === from && destinationEndpointId === to,
      );
      return { ...replica, source, destination, exists };
    }),
  };
}

/** The settings of an imported VM as an environment document. */
export function importedDocument({
  sourcePlugin,
  destinationPlugin,
  sourceEnvironment,
  destinationEnvironment,
}: Pick<
  ImportedReplica,
  'sourcePlugin' | 'destinationPlugin' | 'sourceEnvironment' | 'destinationEnvironment'
>): string {
  return stringify(
    {
      source: { plugin: sourcePlugin, environment: sourceEnvironment },
      destination: { plugin: destinationPlugin, environment: destinationEnvironment },
    },
    { lineWidth: 0 },
  );
}
