// needs: tgt
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { freePort } from '../sshd.ts';
import { kill, run, spawnBound } from './child-process.ts';
import { requirePrograms } from './require-programs.ts';

/** A volume as a target, for who knows its secret. */
export interface IscsiTarget {
  readonly iqn: string;
  /** The file with its bytes. */
  readonly path: string;
  readonly user?: string;
  readonly secret?: string;
}

/** Where an emulated machine reaches this machine's loopback interface. */
const portalAddress = '10.0.2.2';

/** A daemon with iSCSI targets on loopback (Debian's `tgt`), of its own: it shares neither port nor socket with another one. */
export class IscsiTargets {
  /** Where emulated machines reach it. */
  readonly portal: { readonly ipv4: string; readonly port: number };
  readonly #daemon: ChildProcess;
  readonly #socket: string;
  readonly #ids = new Map<string, number>();

  private constructor(daemon: ChildProcess, socket: string, port: number) {
    this.#daemon = daemon;
    this.#socket = socket;
    this.portal = { ipv4: portalAddress, port };
  }

  /** @param folder where its socket and log are; has to be short enough for a socket's path */
  static async start(folder: string): Promise<IscsiTargets> {
    requirePrograms('iSCSI targets', 'setpriv', 'tgtd', 'tgtadm');
    await mkdir(folder, { recursive: true });
    // The daemon takes no port 0: somebody else may have the port by the time that it starts.
    for (let attempt = 1; ; attempt += 1) {
      const socket = join(folder, `tgt-${attempt}`);
      const port = await freePort();
      const log = join(folder, `tgtd-${attempt}.log`);
      const output = await open(log, 'w');
      const daemon = spawnBound(
        'env',
        [`TGT_IPC_SOCKET=${socket}`, 'tgtd', '-f', '-C', '0', '--iscsi', `portal=127.0.0.1:${port}`],
        { stdio: ['ignore', output.fd, output.fd] },
      );
      await output.close();
      const targets = new IscsiTargets(daemon, socket, port);
      if (await targets.#isUp()) return targets;
      await targets.close();
      if (attempt === 5) throw new Error(`the daemon of iSCSI targets did not start: ${await readFile(log, 'utf8')}`);
    }
  }

  async offer({ iqn, path, user, secret }: IscsiTarget): Promise<void> {
    const id = Math.max(0, ...this.#ids.values()) + 1;
    this.#ids.set(iqn, id);
    const tid = ['--tid', String(id)];
    await this.#ask('--op', 'new', '--mode', 'target', ...tid, '--targetname', iqn);
    await this.#ask('--op', 'new', '--mode', 'logicalunit', ...tid, '--lun', '1', '--backing-store', path);
    if (user !== undefined && secret !== undefined) {
      await this.#ask('--op', 'new', '--mode', 'account', '--user', user, '--password', secret);
      await this.#ask('--op', 'bind', '--mode', 'account', ...tid, '--user', user);
    }
    await this.#ask('--op', 'bind', '--mode', 'target', ...tid, '--initiator-address', 'ALL');
  }

  /** Takes the target away from who is logged in to it. */
  async withdraw(iqn: string): Promise<void> {
    const id = this.#ids.get(iqn);
    if (id === undefined) return;
    this.#ids.delete(iqn);
    await this.#ask('--op', 'delete', '--mode', 'target', '--force', '--tid', String(id));
  }

  /** Names of the targets that somebody is logged in to. */
  async sessions(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const [iqn, id] of this.#ids)
      if (/Session: \d+/.test(await this.#ask('--op', 'show', '--mode', 'conn', '--tid', String(id)))) found.push(iqn);
    return found;
  }

  close(): Promise<void> {
    return kill(this.#daemon);
  }

  #ask(...args: readonly string[]): Promise<string> {
    return run('env', [`TGT_IPC_SOCKET=${this.#socket}`, 'tgtadm', '-C', '0', '--lld', 'iscsi', ...args]);
  }

  /** It answers at its socket a moment after its start, or ends. */
  async #isUp(): Promise<boolean> {
    for (;;) {
      try {
        return (await this.#ask('--op', 'show', '--mode', 'portal')).includes(String(this.portal.port));
      } catch {
        if (this.#daemon.exitCode !== null || this.#daemon.signalCode !== null) return false;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
}
