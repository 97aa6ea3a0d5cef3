import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { leaseBlock } from './cloud-kit/address-lease.ts';

const run = promisify(execFile);

/** A network of its own for processes: what they send to loopback goes by a link of their own to this machine's loopback. */
export interface NetworkNamespace {
  /** A command that runs another one within. */
  readonly within: readonly string[];
  /** Its own, by which it is reached from outside. */
  readonly address: string;
  /** The link has no carrier any more: nothing arrives, and nothing is refused. */
  unplug(): Promise<void>;
  plug(): Promise<void>;
  remove(): Promise<void>;
}

/** Whether this machine can make them. */
export const hasNamespaces =
  process.geteuid?.() === 0 && ['/usr/sbin/ip', '/usr/sbin/iptables'].every((path) => existsSync(path));

let made = 0;
/** The links of this process have addresses in 10.78.BLOCK.0/24. */
let leased: Promise<number> | undefined;
/** All of it: machines of the lab have addresses of their own there. On the way it has other names, which are nobody's within. */
const [loopback, aliases] = ['127.0.0.0/8', '11.0.0.0/8'];

export async function networkNamespace(): Promise<NetworkNamespace> {
  leased ??= leaseNetwork();
  const block = await leased;
  const number = made++;
  const name = `cw${process.pid}n${number}`;
  const [near, far] = [`cw${process.pid % 100_000}a${number}`, `cw${process.pid % 100_000}b${number}`];
  const network = `10.78.${block}`;
  const [here, there] = [`${network}.${4 * number + 1}`, `${network}.${4 * number + 2}`];
  const toLoopback = ['PREROUTING', '-i', near, '-d', aliases, '-p', 'tcp', '-j', 'NETMAP', '--to', loopback];
  // The lab's machines let nobody in but callers from loopback.
  const fromLoopback = ['INPUT', '-i', near, '-p', 'tcp', '-j', 'SNAT', '--to-source', '127.0.0.1'];
  const inside = (...command: string[]) => run('ip', ['netns', 'exec', name, ...command]);
  const remove = async (): Promise<void> => {
    for (const rule of [toLoopback, fromLoopback])
      await run('iptables', ['-t', 'nat', '-D', ...rule]).catch(() => undefined);
    // The link goes with it.
    await run('ip', ['netns', 'del', name]).catch(() => undefined);
  };
  try {
    await run('ip', ['netns', 'add', name]);
    await run('ip', ['link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', name]);
    await run('ip', ['addr', 'add', `${here}/30`, 'dev', near]);
    await run('ip', ['link', 'set', near, 'up']);
    await run('sysctl', ['-qw', `net.ipv4.conf.${near}.route_localnet=1`]);
    for (const rule of [toLoopback, fromLoopback]) await run('iptables', ['-t', 'nat', '-A', ...rule]);
    await inside('ip', 'addr', 'add', `${there}/30`, 'dev', far);
    await inside('ip', 'link', 'set', far, 'up');
    await inside('ip', 'link', 'set', 'lo', 'up');
    await inside('sysctl', '-qw', 'net.ipv4.conf.all.route_localnet=1');
    await inside('ip', 'route', 'add', aliases, 'via', here);
    await inside('iptables', '-t', 'nat', '-A', 'OUTPUT', '-d', loopback, '-p', 'tcp', '-j', 'NETMAP', '--to', aliases);
    await inside('iptables', '-t', 'nat', '-A', 'POSTROUTING', '-o', far, '-j', 'SNAT', '--to-source', there);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    within: ['ip', 'netns', 'exec', name],
    address: there,
    unplug: async () => void (await run('ip', ['link', 'set', near, 'down'])),
    async plug() {
      await run('ip', ['link', 'set', near, 'up']);
      // The route within went with the link.
      await inside('ip', 'route', 'replace', aliases, 'via', here);
    },
    remove,
  };
}

async function leaseNetwork(): Promise<number> {
  // What killed processes left has addresses that may be given anew.
  const { stdout } = await run('ip', ['netns', 'list']);
  for (const [name, pid] of stdout.matchAll(/^cw(\d+)n\d+/gmv)) {
    if (!existsSync(`/proc/${pid}`)) await run('ip', ['netns', 'del', name]).catch(() => undefined);
  }
  return (await leaseBlock('127.79')).block;
}
