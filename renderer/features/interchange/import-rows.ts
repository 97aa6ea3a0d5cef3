import { stringify } from 'yaml';
import { withoutSecrets } from '../../../shared/interchange/environments.ts';
import { importedDocument, type ImportPlan } from '../../../shared/interchange/plan-import.ts';
import type { CausewayError } from '../../../shared/model/causeway-error.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import type { WorkbenchLink } from '../../app/workbench-link.ts';
import { pluginTitle, text } from '../../text/text.ts';

/** One thing that an import creates. */
export interface ImportRow {
  readonly key: string;
  readonly kind: 'endpoint' | 'replica';
  readonly name: string;
  readonly where: string;
  readonly exists: boolean;
  /** What a person should know of it; empty for most. */
  readonly note: string;
  /** What will be written, without secrets. */
  readonly contents: () => string;
  readonly create: (link: WorkbenchLink) => Promise<unknown>;
}

/** By rows' keys: `undefined` when it was created, else why it was not. */
export type Outcomes = ReadonlyMap<string, CausewayError | undefined>;

/** What the form of a deployment calls an option of the command line. */
function nameOfOption(option: string): string {
  const names: Readonly<Record<string, string>> = {
    '--in-place': `${text.deployments.volumes}: ${text.deployments.volumeModes.inPlace.label}`,
    '--skip-morphing': text.interchange.withoutPreparation,
  };
  return names[option] ?? option;
}

/** In the order in which they have to be created. */
export function importRows({ endpoints, replicas }: ImportPlan): readonly ImportRow[] {
  return [
    ...endpoints.map(({ name, plugin, connection, exists }, index): ImportRow => ({
      key: `endpoint ${index}`,
      kind: 'endpoint',
      name,
      exists,
      where: pluginTitle(plugins[plugin]),
      note: exists ? text.interchange.existsEndpoint : '',
      contents: () => {
        const { kept, secrets } = withoutSecrets(plugin, 'connection', connection);
        return `${stringify({ name, plugin, connection: kept }, { lineWidth: 0 })}${secrets.map((key) => `# ${key}: ${text.interchange.toVault}\n`).join('')}`;
      },
      create: (link) => link.call('endpoint.add', { name, plugin, connection }),
    })),
    ...replicas.map((replica, index): ImportRow => {
      const { vm, source, destination, sourceEnvironment, destinationEnvironment, deployOptions, exists } = replica;
      return {
        key: `replica ${index}`,
        kind: 'replica',
        name: vm,
        exists,
        where: `${source} → ${destination}`,
        note: [
          exists ? text.interchange.existsReplica : '',
          deployOptions.length === 0 ? '' : text.interchange.deployWith(deployOptions.map(nameOfOption).join(', ')),
        ]
          .filter((part) => part !== '')
          .join(' '),
        contents: () =>
          importedDocument({
            ...replica,
            sourceEnvironment: withoutSecrets(replica.sourcePlugin, 'source', sourceEnvironment).kept,
            destinationEnvironment: withoutSecrets(replica.destinationPlugin, 'destination', destinationEnvironment)
              .kept,
          }),
        create: (link) =>
          link.call('replica.create', { source, destination, vm, sourceEnvironment, destinationEnvironment }),
      };
    }),
  ];
}
