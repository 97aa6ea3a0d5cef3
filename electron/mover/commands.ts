import { fork } from 'node:child_process';
import { existsSync, mkdirSync, openSync, closeSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { textEnd } from '../../shared/model/cut-text.ts';
import { CausewayError, fromErrorRecord, type ErrorRecord } from '../../shared/model/causeway-error.ts';
import { engineFlags } from '../engine/runtime/engine-flags.ts';
import { ensureStateFolder } from '../engine/store/database.ts';
import type { MoverAnswer, MoverService } from '../movers/mover-service.ts';
import { serveProject } from './serve.ts';
import { removeOldEngines } from './old-engines.ts';
import { crashedService, engineOf, forgetCrashed, runningService, runningServices } from './service-file.ts';

/** Opening a project may migrate a large database, milliseconds. */
const startMs = 150_000;
/** What runs is ended in good order, milliseconds. */
const stopMs = 60_000;
/** How long a killed process may still be there, milliseconds. */
const killMs = 5_000;

export interface MoverOptions {
  readonly project: string | undefined;
  readonly mayCreate: boolean;
  /** The file that this process was started with; the engine lies beside it. */
  readonly entry: string;
}

/** One command of `causeway-mover`; undefined where there is nothing to answer. */
export async function runMoverCommand(command: string, options: MoverOptions): Promise<MoverAnswer | undefined> {
  if (command === 'stop-all') {
    await Promise.all(runningServices().map(stop));
    forgetCrashed();
    return { none: true };
  }
  const project = folderOf(options.project, command === 'start' && options.mayCreate);
  const running = runningService(project);
  switch (command) {
    case 'serve':
      await serveProject(project, options.entry, (service) => process.send?.({ service }));
      return undefined;
    case 'start':
      try {
        return { service: running ?? (await start(project, options.entry)) };
      } finally {
        removeOldEngines(engineOf(options.entry));
      }
    case 'start-again':
      if (running !== undefined) return { service: running };
      // One that was stopped stays so, and what another engine has left is not for this one.
      return crashedService(project)?.engine === engineOf(options.entry)
        ? { service: await start(project, options.entry) }
        : { none: true };
    case 'status':
      return running === undefined ? { none: true } : { service: running };
    case 'stop':
      if (running !== undefined) await stop(running);
      forgetCrashed(project);
      return { none: true };
    default:
      throw new CausewayError('general.invalid-input', `unknown command: ${command}`);
  }
}

/** A relative folder is meant from the user's home. */
function folderOf(given: string | undefined, mayCreate: boolean): string {
  if (given === undefined || given === '') throw new CausewayError('general.invalid-input', 'no project is named');
  const folder = resolve(homedir(), given.replace(/^~\//, ''));
  if (mayCreate) mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!existsSync(folder)) throw new CausewayError('general.invalid-input', `folder not found on the mover: ${folder}`);
  if (!mayCreate && !['causeway.yaml', '.causeway'].some((mark) => existsSync(join(folder, mark))))
    throw new CausewayError('general.invalid-input', `${folder} on the mover is not a Causeway project`);
  return realpathSync(folder);
}

/** Starts the service in a session of its own, so that it outlives the connection, and waits until it can be reached. */
async function start(project: string, entry: string): Promise<MoverService> {
  const logPath = join(ensureStateFolder(project), 'mover.log');
  const log = openSync(logPath, 'w', 0o600);
  const child = fork(entry, ['serve', '--project', project], {
    execArgv: [...process.execArgv, ...engineFlags],
    detached: true,
    cwd: project,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const stop = new AbortController();
  try {
    return await Promise.race([
      new Promise<MoverService>((done, failed) => {
        child.on('message', (message: { service?: MoverService; failed?: ErrorRecord }) => {
          if (message.service !== undefined) done(message.service);
          else if (message.failed !== undefined) failed(fromErrorRecord(message.failed));
        });
        child.once('error', failed);
        child.once('exit', (code, by) =>
          failed(new CausewayError('mover.start-failed', said(logPath) || `the service exited: ${by ?? code ?? ''}`)),
        );
      }),
      delay(startMs, undefined, { signal: stop.signal }).then(() =>
        Promise.reject(new CausewayError('mover.start-failed', `the service was not ready after ${startMs / 1000} s`)),
      ),
    ]);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    stop.abort();
    if (child.connected) child.disconnect();
    child.unref();
  }
}

/** The service's answer is JSON on its standard output, which is the log. */
function said(logPath: string): string {
  return textEnd(readFileSync(logPath, 'utf8').trim(), 500);
}

/** Ends a service in good order, and its process when that takes too long. */
async function stop(service: MoverService): Promise<void> {
  signal(service, 'SIGTERM');
  if (await hasEnded(service, stopMs)) return;
  signal(service, 'SIGKILL');
  await hasEnded(service, killMs);
}

async function hasEnded(service: MoverService, withinMs: number): Promise<boolean> {
  for (
    const until = performance.now() + withinMs;
    runningService(service.project)?.pid === service.pid || isThere(service.pid);
    await delay(100)
  ) {
    if (performance.now() > until) return false;
  }
  return true;
}

function signal({ pid }: MoverService, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isThere(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}
