import type { CommandRegistrar, ExitStatus } from '../command-context.ts';

export const registerDoctor: CommandRegistrar = (program, context) => {
  program
    .command('doctor')
    .description('Check whether this runtime has the cryptography, compression and database that Causeway needs. Exit status 1 when something is missing.')
    .option('--json', 'one JSON object per line')
    .action(
      context.run(async ({ json }: { readonly json?: boolean }): Promise<ExitStatus> => {
        const { checkRuntime } = await import('../../engine/runtime/runtime-check.ts');
        const { table } = await import('../output/print.ts');
        const checks = await checkRuntime();
        if (json === true) for (const check of checks) context.stdout.write(`${JSON.stringify(check)}\n`);
        else {
          const { node, electron } = process.versions;
          const crypto = process.versions['openssl'] ?? 'unknown';
          context.stdout.write(`Node ${node}${electron === undefined ? '' : `, Electron ${electron}`}, OpenSSL ${crypto}, ${process.platform} ${process.arch}\n\n`);
          context.stdout.write(table(['outcome', 'capability', 'used for', 'evidence'], checks.map(({ outcome, isOptional, name, usedFor, evidence }) =>
            [outcome === 'missing' && isOptional ? 'not available' : outcome, name, usedFor, evidence])));
        }
        return checks.some(({ outcome, isOptional }) => outcome === 'missing' && !isOptional) ? 1 : 0;
      }),
    );
};
