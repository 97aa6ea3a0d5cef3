import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { inProject, type CommandRegistrar, type ExitStatus, type ProjectOptions } from '../command-context.ts';

type Cells = readonly (string | number | undefined)[];
type Moment = (time: string | undefined) => string | undefined;

interface RunList<T> {
  /** What is listed, in the plural. */
  readonly what: string;
  readonly columns: readonly string[];
  readonly read: (
    core: CoreClient,
    input: { readonly replica?: string },
  ) => Promise<{ readonly runs: readonly T[]; readonly cells: (run: T, moment: Moment) => Cells }>;
}

/** The `list` of a group: runs of replicas, those of all or of one. */
export function runList<T>({ what, columns, read }: RunList<T>): CommandRegistrar {
  return (group, context) => {
    const command = group
      .command('list')
      .description(`List ${what}, newest first.`)
      .option('--replica <replica>', 'only those of this replica');
    inProject(command).action(
      context.run(async (options: ProjectOptions & { replica?: string }): Promise<ExitStatus> => {
        const { withProject } = await import('./with-project.ts');
        const { moment, table, print } = await import('../output/print.ts');
        const input = options.replica === undefined ? {} : { replica: options.replica };
        const { runs, cells } = await withProject(options, context, (core) => read(core, input));
        print(context, options, runs, () =>
          table(
            columns,
            runs.map((run) => cells(run, moment)),
          ),
        );
        return 0;
      }),
    );
  };
}
