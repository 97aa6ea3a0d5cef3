import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageEngine } from '../../scripts/package-engine.ts';
import { closing, temporaryFolder } from './closing.ts';
import { startEuropeanCloud, type EuropeanCloud } from './european-cloud/start.ts';
import { endProcess } from './machines/child-process.ts';
import { labMachines, usualWorkerKind } from './machines/kinds.ts';
import { hasNamespaces, networkNamespace } from './network-namespace.ts';
import { processesNaming } from './processes-naming.ts';
import { markOfPart, startSshd, type SshdRig } from './sshd.ts';

const MiB = 1024 * 1024;
const root = join(import.meta.dirname, '..', '..');

/**
 * A laptop, a jump host and a mover beside a cloud. One computer in all roles: the mover is another user's home behind two SSH servers, the second of them in
 * a network with an address of its own where this computer can make one.
 */
export interface MoverRig {
  readonly folder: string;
  at(...parts: string[]): string;
  readonly cloud: EuropeanCloud;
  readonly jump: SshdRig;
  readonly host: SshdRig;
  /** Of commands on the laptop, with `CAUSEWAY_MOVER` and `CAUSEWAY_PROJECT`. */
  readonly environment: NodeJS.ProcessEnv;
  /** Runs a command line on the laptop. */
  causeway(...argv: string[]): Promise<{ status: number; output: string }>;
  close(): Promise<void>;
}

/** @param reach how the laptop reaches the jump host: its port, or that of a proxy before it */
export async function startMoverRig(
  reach: (jump: SshdRig) => Promise<number> = async (jump) => jump.port,
): Promise<MoverRig> {
  await using stack = new AsyncDisposableStack();
  const folder = await temporaryFolder(stack, 'causeway-mover-');
  const at = (...parts: string[]): string => join(folder, ...parts);
  // An engine on the mover stays when nobody is connected, as it should.
  stack.defer(async () => {
    for (const { pid } of await processesNaming(at('mover'))) endProcess(pid);
  });
  for (const name of ['laptop', 'mover', 'images']) await mkdir(at(name));
  const cloud = stack.adopt(
    await startEuropeanCloud({
      folder: at('cloud'),
      transitionMs: 3,
      machines: labMachines({ worker: usualWorkerKind, outbound: false }),
    }),
    closing,
  );
  const network = hasNamespaces ? stack.adopt(await networkNamespace(), (made) => made.remove()) : undefined;
  const sshd = async (...options: Parameters<typeof startSshd>): Promise<SshdRig> =>
    stack.adopt(await startSshd(...options), (server) => server.stop());
  const jump = await sshd();
  const host = await sshd({
    network,
    extraConfig: `SetEnv HOME=${at('mover')} CAUSEWAY_USER_FOLDER=${at('mover', 'settings')}${markOfPart}`,
  });
  // Both servers take the key of the first.
  await writeFile(join(host.folder, 'authorized'), readFileSync(`${jump.privateKeyPath}.pub`));
  await mkdir(at('laptop', '.ssh'));
  const config = [
    `Host bastion\n  HostName 127.0.0.1\n  Port ${await reach(jump)}\n  User ${jump.username}`,
    `Host beside-the-data\n  HostName ${host.address}\n  Port ${host.port}\n  User ${host.username}\n  ProxyJump bastion\n  IdentityFile ${jump.privateKeyPath}`,
    `Host straight\n  HostName ${host.address}\n  Port ${host.port}\n  User ${host.username}\n  IdentityFile ${jump.privateKeyPath}`,
  ].join('\n');
  await writeFile(at('laptop', '.ssh', 'config'), config);
  await writeFile(at('images', 'web.raw'), randomBytes(24 * MiB));
  await writeFile(at('passphrase'), 'correct horse battery', { mode: 0o600 });
  await writeFile(
    at('cloud.json'),
    JSON.stringify({
      project_id: cloud.projectId,
      region_name: cloud.region,
      iaas_url: cloud.urls.iaas,
      token_url: cloud.urls.token,
      service_account_key: JSON.stringify(cloud.serviceAccountKey),
      caller_address: '127.0.0.0/8',
    }),
  );
  await writeFile(
    at('web.yaml'),
    JSON.stringify({
      destination: {
        plugin: 'european-cloud',
        environment: {
          network_map: { default: 'production' },
          availability_zone: 'eu01-1',
          machine_type: 'g1.1',
          migr_network: 'migration',
          migr_machine_type: 'g1.1',
          migr_image_map: { linux: 'Debian 12' },
          data_transfer_mechanism: 'HTTPS',
        },
      },
    }),
  );
  const { SSH_AUTH_SOCK: _agent, ...outer } = process.env;
  const environment = {
    ...outer,
    HOME: at('laptop'),
    CAUSEWAY_USER_FOLDER: at('laptop', 'settings'),
    CAUSEWAY_PASSPHRASE_FILE: at('passphrase'),
    CAUSEWAY_MOVER: 'beside',
    CAUSEWAY_PROJECT: at('project'),
    CAUSEWAY_MOVER_ARCHIVE: packageEngine(root, process.arch as 'x64'),
  };
  const causeway = (...argv: string[]): Promise<{ status: number; output: string }> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        [join(root, 'out/main/cli.js'), ...argv],
        { env: environment, cwd: folder },
        (error, stdout, stderr) =>
          resolve({
            status: typeof error?.code === 'number' ? error.code : error === null ? 0 : 2,
            output: `${stdout}${stderr}`,
          }),
      );
    });
  const opened = stack.move();
  return {
    folder,
    at,
    cloud,
    jump,
    host,
    environment,
    causeway,
    close: () => opened.disposeAsync(),
  };
}
