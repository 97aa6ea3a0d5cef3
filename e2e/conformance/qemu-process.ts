// needs: qemu-system-x86, qemu-utils
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../../shared/model/json.ts';
import { kill, spawnBound } from '../rigs/machines/child-process.ts';
import { requirePrograms } from '../rigs/machines/require-programs.ts';
import { QmpConnection } from '../../electron/engine/qmp/qmp-connection.ts';

const signal = new AbortController().signal;

/** A QEMU without a guest, software emulation, with two QMP sockets: one for the source, one for the test. */
export class QemuProcess {
  readonly #child: ChildProcess;
  readonly #qmp: QmpConnection;

  private constructor(child: ChildProcess, qmp: QmpConnection) {
    this.#child = child;
    this.#qmp = qmp;
  }

  static async start(
    sockets: { readonly source: string; readonly test: string },
    name: string,
    args: readonly string[],
  ): Promise<QemuProcess> {
    requirePrograms('a virtual machine', 'setpriv', 'qemu-system-x86_64');
    const child = spawnBound(
      'qemu-system-x86_64',
      [
        '-accel',
        'tcg',
        '-machine',
        'pc',
        '-m',
        '32',
        '-nodefaults',
        '-display',
        'none',
        '-no-user-config',
        '-no-shutdown',
        '-name',
        name,
        '-boot',
        'menu=off',
        ...args,
        '-qmp',
        `unix:${sockets.source},server=on,wait=off`,
        '-qmp',
        `unix:${sockets.test},server=on,wait=off`,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const failed = new Promise<never>((_resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`QEMU ended with ${code}: ${stderr.slice(-500)}`)));
    });
    failed.catch(() => undefined);
    for (let tries = 0; ; tries++) {
      try {
        return new QemuProcess(child, await Promise.race([QmpConnection.connect(sockets.test, signal), failed]));
      } catch (error) {
        if (tries > 200 || child.exitCode !== null) {
          await kill(child);
          throw error;
        }
        await Promise.race([delay(25), failed]);
      }
    }
  }

  execute(command: string, args: JsonObject = {}): Promise<JsonValue> {
    return this.#qmp.execute(command, args, signal);
  }

  /** Runs a qemu-io command on a device, as if the guest had asked for it. */
  async io(qdev: string, command: string): Promise<void> {
    const said = await this.execute('human-monitor-command', { 'command-line': `qemu-io -d ${qdev} "${command}"` });
    if (typeof said === 'string' && /error|failed|invalid|not found/i.test(said))
      throw new Error(`qemu-io ${command}: ${said}`);
  }

  async quit(): Promise<void> {
    const exited =
      this.#child.exitCode === null && this.#child.signalCode === null ? once(this.#child, 'exit') : Promise.resolve();
    await this.execute('quit').catch(() => undefined);
    await exited;
  }

  kill(): Promise<void> {
    return kill(this.#child);
  }
}
