import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import Conf from 'conf';
import { workbenchEvents } from '../../shared/contract/shell.ts';
import { localAddress, serveLocally } from '../engine/core/ipc.ts';
import { ensureStateFolder, stateFolder } from '../engine/store/database.ts';
import { moverFolder } from '../movers/place-engine.ts';
import type { MoverService } from '../movers/mover-service.ts';
import { nodeEngine } from '../workbench/node-engine.ts';
import { ensureProjectFile } from '../workbench/project-file.ts';
import { settingsStore } from '../workbench/settings-store.ts';
import { createShell } from '../workbench/shell.ts';
import { engineOf, removeService, writeService } from './service-file.ts';

/** The application's version, from the package.json beside `out`. */
function versionOf(entry: string): string {
  return (
    JSON.parse(readFileSync(join(dirname(entry), '..', '..', 'package.json'), 'utf8')) as { readonly version: string }
  ).version;
}

/**
 * Serves a project until it is asked to end: the workbench's contract on a socket that only this user can open. Executions belong to this
 * process and its engine: they go on whoever connects or hangs up.
 *
 * @param entry the file that this process was started with, `out/main/mover.js`
 * @param onReady called once clients can connect
 */
export async function serveProject(
  project: string,
  entry: string,
  onReady: (service: MoverService) => void,
): Promise<void> {
  ensureStateFolder(project);
  ensureProjectFile(project);
  const version = versionOf(entry);
  const settings = new Conf({ projectName: 'causeway', cwd: join(homedir(), moverFolder, 'settings') });
  const shell = createShell({
    host: 'browser',
    version,
    settings: settingsStore(settings),
    spawn: nodeEngine(join(dirname(entry), 'engine.js')),
  });
  const end = Promise.withResolvers<void>();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => (name === 'SIGHUP' ? undefined : end.resolve()));
  try {
    await shell.openNamed(project);
    const address = localAddress(stateFolder(project), 'mover');
    const server = await serveLocally(shell, { address }, workbenchEvents);
    const service = { project, socket: address, pid: process.pid, version, engine: engineOf(entry) };
    writeService(service);
    onReady(service);
    await end.promise;
    removeService(project);
    await Promise.all([server.close(), shell.close()]);
  } catch (error) {
    await shell.close();
    throw error;
  }
}
