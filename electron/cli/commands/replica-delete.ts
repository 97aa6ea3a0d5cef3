import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from '../project/project-options.ts';

export const registerReplicaDelete: CommandRegistrar = (program, context) => {
  const command = commandGroup(program, 'replica', 'Replicas: copies of VMs at a destination, kept up to date.')
    .command('delete')
    .description('Delete a replica with its volumes on the destination and its base on the source.')
    .argument('<replica>', 'name or id')
    .requiredOption('--yes', 'really delete the volumes')
    .option('--source-gone', 'the source no longer exists: do not contact it; snapshots left there are listed and dropped from the records');
  inProject(command).action(
    context.run(async (replica: string, options: ProjectOptions & { readonly sourceGone?: true }): Promise<ExitStatus> => {
      const { withProject } = await import('../project/with-project.ts');
      const { forgotten } = await withProject(options, context, (core) =>
        core.call('replica.delete', { replica, sourceIsGone: options.sourceGone === true }, { signal: context.signal }));
      if (forgotten.length > 0) context.stderr.write(`left on the source: ${forgotten.join(', ')}\n`);
      return 0;
    }),
  );
};
