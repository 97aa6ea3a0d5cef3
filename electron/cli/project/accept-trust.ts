import { createInterface } from 'node:readline/promises';
import { trustText } from '../output/trust-text.ts';
import { UsageError, type CommandContext, type ExitStatus, type ProjectOptions } from '../command-context.ts';
import { withProject } from './with-project.ts';

/** Shows what the project reaches and accepts exactly that, once a person said yes. */
export async function acceptTrust(
  options: ProjectOptions & { readonly yes?: boolean },
  context: CommandContext,
): Promise<ExitStatus> {
  return withProject(options, context, async (core) => {
    const report = await core.call('trust.show', {});
    const nothingWaits = report.isAccepted && report.pending === 0;
    const out = options.json === true ? context.stderr : context.stdout;
    out.write(trustText(report));
    if (!nothingWaits) {
      if (options.yes !== true && !(await confirmed(context))) {
        out.write('Nothing was accepted.\n');
        return 1;
      }
      const after = await core.call('trust.accept', { token: report.token });
      const left = after.pending;
      out.write(left === 0 ? 'Accepted.\n' : `Accepted, except ${left} that cannot be accepted.\n`);
      if (options.json === true) context.stdout.write(`${JSON.stringify(after)}\n`);
      return left === 0 ? 0 : 1;
    }
    return 0;
  });
}

/** @throws UsageError where there is no terminal */
async function confirmed(context: CommandContext): Promise<boolean> {
  if (!process.stdin.isTTY || context.stdout.isTTY !== true)
    throw new UsageError('accepting needs a terminal, or --yes');
  const prompt = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  try {
    return /^(y|yes)$/i.test(
      (
        await prompt.question('Trust this project and accept everything above? [y/N] ', { signal: context.signal })
      ).trim(),
    );
  } finally {
    prompt.close();
  }
}
