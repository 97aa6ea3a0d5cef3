import type { ConnectionTest } from '../../../shared/model/connection-test.ts';
import type { NetworkFacts } from '../../engine/http/network-facts.ts';
import type { CommandRegistrar, ExitStatus } from '../command-context.ts';

export const registerDoctor: CommandRegistrar = (program, context) => {
  program
    .command('doctor')
    .option('--json', 'one JSON object per line')
    .option(
      '--connect <address>',
      'connect to this server, e.g. https://cloud.example.com, and show by which proxy it is reached and which certificate it shows',
    )
    .action(
      context.run(
        async ({ json, connect }: { readonly json?: boolean; readonly connect?: string }): Promise<ExitStatus> => {
          const { checkRuntime } = await import('../../engine/runtime/runtime-check.ts');
          const { networkFacts } = await import('../../engine/http/network-facts.ts');
          const { testConnection } = await import('../../engine/http/connection-test.ts');
          const { table } = await import('../output/print.ts');
          const checks = await checkRuntime();
          // First: it tells whether a script can be used.
          const connection = connect === undefined ? undefined : await testConnection(connect, context.signal);
          const network = await networkFacts();
          if (json === true)
            for (const line of [...checks, { network }, ...(connection === undefined ? [] : [{ connection }])])
              context.stdout.write(`${JSON.stringify(line)}\n`);
          else {
            const { node, electron } = process.versions;
            const crypto = process.versions['openssl'] ?? 'unknown';
            context.stdout.write(
              `Node ${node}${electron === undefined ? '' : `, Electron ${electron}`}, OpenSSL ${crypto}, ${process.platform} ${process.arch}\n\n`,
            );
            context.stdout.write(
              table(
                ['outcome', 'capability', 'used for', 'evidence'],
                checks.map(({ outcome, isOptional, name, usedFor, evidence }) => [
                  outcome === 'missing' && isOptional ? 'not available' : outcome,
                  name,
                  usedFor,
                  evidence,
                ]),
              ),
            );
            context.stdout.write(
              ['', ...networkText(network), ...(connection === undefined ? [] : connectionText(connection)), ''].join(
                '\n',
              ),
            );
          }
          const isComplete = !checks.some(({ outcome, isOptional }) => outcome === 'missing' && !isOptional);
          return isComplete && connection?.isVerified !== false ? 0 : 1;
        },
      ),
    );
};

function networkText({
  proxy = 'none',
  proxyFrom,
  noProxy,
  scripts,
  scriptFailure,
  systemCertificates,
  workerProxy = 'none',
}: NetworkFacts): readonly string[] {
  const from = proxyFrom === 'none' ? '' : ` (from the ${proxyFrom})`;
  return [
    scripts.length === 0
      ? `Proxy to clouds: ${proxy}${from}${noProxy === '' ? '' : `, not for ${noProxy}`}`
      : `Proxy to clouds: as the script ${scripts.join(' or ')} says${from}`,
    ...(scriptFailure === undefined ? [] : [`The proxy script cannot be used: ${scriptFailure}`]),
    `Proxy to workers: ${workerProxy === 'same' ? 'as to clouds' : workerProxy} (CAUSEWAY_SSH_PROXY)`,
    systemCertificates === undefined
      ? 'CA certificates of the operating system: not used, this runtime cannot read them'
      : `CA certificates of the operating system: ${systemCertificates}`,
  ];
}

function connectionText({
  address,
  way,
  ways,
  passed,
  isVerified,
  reason = '',
  issuer = 'unknown',
}: ConnectionTest): readonly string[] {
  return [
    `${address}: reached ${way === 'direct' ? 'directly' : `through ${way}`}${ways.length > 1 ? ` (ways: ${ways.join(', ')})` : ''}`,
    ...passed.map((failure) => `  tried before: ${failure}`),
    `  certificate: ${isVerified ? 'trusted' : `not trusted, ${reason}`}; issued by ${issuer}`,
  ];
}
