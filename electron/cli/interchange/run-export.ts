import { effectiveReplica } from '../../../shared/interchange/effective-replica.ts';
import { commandText, exportProject, payloadText } from '../../../shared/interchange/export-project.ts';
import { UsageError, type CommandContext, type ExitStatus, type ProjectOptions } from '../command-context.ts';
import { withProject } from '../project/with-project.ts';
import { notCarriedText } from './not-carried-text.ts';

/** `causeway interchange export` */
export async function runExport(
  wanted: readonly string[],
  options: ProjectOptions & { readonly format: 'payloads' | 'commands' },
  context: CommandContext,
): Promise<ExitStatus> {
  const { endpoints, replicas, defaults } = await withProject(options, context, async (core) => ({
    endpoints: await core.call('endpoint.list', {}),
    replicas: await core.call('replica.list', {}),
    defaults: await core.call('defaults.show', {}),
  }));
  const unknown = wanted.find((name) => !replicas.some((replica) => replica.id === name || replica.name === name));
  if (unknown !== undefined) throw new UsageError(`there is no replica ${JSON.stringify(unknown)}`);
  const chosen =
    wanted.length === 0 ? replicas : replicas.filter(({ id, name }) => wanted.includes(id) || wanted.includes(name));
  const used = new Set(
    chosen.flatMap(({ sourceEndpointId, destinationEndpointId }) => [sourceEndpointId, destinationEndpointId]),
  );
  const exported = exportProject(
    wanted.length === 0 ? endpoints : endpoints.filter(({ id }) => used.has(id)),
    chosen.map((replica) => effectiveReplica(replica, endpoints, defaults)),
  );
  context.stdout.write(options.format === 'commands' ? commandText(exported) : payloadText(exported));
  context.stderr.write(notCarriedText('Not exported', exported.notCarried));
  return 0;
}
