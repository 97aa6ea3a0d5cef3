import type { CommandRegistrar, ExitStatus } from '../command-context.ts';

export const registerDoctor: CommandRegistrar = (program, context) => {
  program
    .command('doctor')
    .description('Check whether this runtime has the cryptography, compression and database that Causeway needs, and show the proxy and the certificates in effect. Exit status 1 when something is missing.')
    .option('--json', 'one JSON object per line')
    .action(
      context.run(async ({ json }: { readonly json?: boolean }): Promise<ExitStatus> => {
        const { checkRuntime } = await import('../../engine/runtime/runtime-check.ts');
        const { networkFacts, useSystemProxy } = await import('../../engine/http/system-network.ts');
        const { shownWorkerProxy, workerProxyVariable } = await import('../../engine/http/proxy-connection.ts');
        const { table } = await import('../output/print.ts');
        const checks = await checkRuntime();
        await useSystemProxy();
        const network = { ...networkFacts(), workerProxy: shownWorkerProxy() };
        if (json === true) for (const line of [...checks, { network }]) context.stdout.write(`${JSON.stringify(line)}\n`);
        else {
          const { node, electron } = process.versions;
          const crypto = process.versions['openssl'] ?? 'unknown';
          context.stdout.write(`Node ${node}${electron === undefined ? '' : `, Electron ${electron}`}, OpenSSL ${crypto}, ${process.platform} ${process.arch}\n\n`);
          context.stdout.write(table(['outcome', 'capability', 'used for', 'evidence'], checks.map(({ outcome, isOptional, name, usedFor, evidence }) =>
            [outcome === 'missing' && isOptional ? 'not available' : outcome, name, usedFor, evidence])));
          const { proxy = 'none', proxyFrom, noProxy, script, systemCertificates, workerProxy = 'none' } = network;
          context.stdout.write([
            '',
            `Proxy to clouds: ${proxy}${proxyFrom === 'none' ? '' : ` (from the ${proxyFrom})`}${noProxy === '' ? '' : `, not for ${noProxy}`}`,
            ...(script === undefined ? [] : [`The system's proxy script ${script} is not run: set HTTPS_PROXY to the proxy that it names.`]),
            `Proxy to workers: ${workerProxy} (${workerProxyVariable})`,
            systemCertificates === undefined ? 'CA certificates of the operating system: not used, this runtime cannot read them' : `CA certificates of the operating system: ${systemCertificates}`,
            '',
          ].join('\n'));
        }
        return checks.some(({ outcome, isOptional }) => outcome === 'missing' && !isOptional) ? 1 : 0;
      }),
    );
};
