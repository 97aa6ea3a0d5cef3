import type { CoreClient } from '../../../shared/contract/core-client.ts';
import type { CommandRegistrar, ExitStatus } from '../command-context.ts';
import { commandGroup, inProject, type ProjectOptions } from './project-options.ts';

type Cells = readonly (string | number | undefined)[];
type Moment = (time: string | undefined) => string | undefined;

interface RunList<T> {
  readonly group: string;
  /** Of the group of commands. */
  readonly about: string;
  /** What is listed, in the plural. */
  readonly what: string;
  readonly columns: readonly string[];
  readonly read: (core: CoreClient, input: { readonly replica?: string }) => Promise<{ readonly runs: readonly T[]; readonly cells: (run: T, moment: Moment) => Cells }>;
}

/** `<group> list`: runs of replicas, those of all or of one. */
export function runList<T>({ group, about, what, columns, read }: RunList<T>): CommandRegistrar {
  return (program, context) => {
    const command = commandGroup(program, group, about)
      .command('list')
      .description(`List ${what}, newest first.`)
      .option('--replica <replica>', 'only those of this replica');
    inProject(command).action(
      context.run(async (options: ProjectOptions & { replica?: string }): Promise<ExitStatus> => {
        const { withProject } = await import('./with-project.ts');
        const { moment } = await import('../output/quantities.ts');
        const { table } = await import('../output/table.ts');
        const { print } = await import('../output/print.ts');
        const input = options.replica === undefined ? {} : { replica: options.replica };
        const { runs, cells } = await withProject(options, context, (core) => read(core, input));
        print(context, options, runs, () => table(columns, runs.map((run) => cells(run, moment))));
        return 0;
      }),
    );
  };
}
