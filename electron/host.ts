import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import Conf from 'conf';
import { workbenchEvents } from '../shared/contract/shell.ts';
import { serveChannel } from '../shared/contract/serve-channel.ts';
import { endOnUncaught } from './engine/core/uncaught.ts';
import { stopSignals } from './engine/runtime/stop-signals.ts';
import { openInBrowser } from './host/open-in-browser.ts';
import { startWebHost } from './host/web-host.ts';
import { nodeEngine } from './workbench/node-engine.ts';
import { sampleLab } from './workbench/sample-lab.ts';
import { settingsStore } from './workbench/settings-store.ts';
import { createShell } from './workbench/shell.ts';

/** Ends what was started so far. */
let closing = async (): Promise<void> => undefined;
endOnUncaught({
  status: 70,
  graceMs: 40_000,
  async tell(_error, stack) {
    console.error(`causeway: the workbench stopped because of an unexpected error: ${stack}`);
    await closing();
  },
});

/** The workbench on loopback, for a machine without a display or without Electron's runtime. */
const { values } = parseArgs({
  options: {
    'no-open': { type: 'boolean', default: false },
    host: { type: 'boolean', default: false },
    port: { type: 'string' },
    /** Where the settings are kept; default: the user's configuration folder. */
    settings: { type: 'string' },
    project: { type: 'string' },
  },
});
const out = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(out, '..', 'package.json'), 'utf8')) as { version: string };
const file = new Conf(
  values.settings === undefined ? { projectName: 'causeway' } : { projectName: 'causeway', cwd: values.settings },
);
const sample = sampleLab(join(out, '..'));
const shell = createShell({
  host: 'browser',
  version,
  settings: settingsStore(file),
  spawn: nodeEngine(join(import.meta.dirname, 'engine.js')),
  installation: { application: join(out, '..'), archive: process.env['CAUSEWAY_MOVER_ARCHIVE'] || undefined },
  ...(sample === undefined ? {} : { sample }),
});
closing = () => shell.close();
if (values.project !== undefined) {
  const opened = await shell.dispatch('project.open', { folder: values.project }, new AbortController().signal);
  if (!opened.ok) console.error(opened.error.message);
}
const host = await startWebHost({
  folder: join(out, 'renderer'),
  ...(values.port === undefined ? {} : { port: Number(values.port) }),
  connect: (channel) => serveChannel(shell, workbenchEvents, channel),
});
console.log(`The workbench is open at ${host.url} (the link works once). Press Enter for a new link, Ctrl-C to stop.`);
createInterface({ input: process.stdin }).on('line', () => console.log(`New link, for one use: ${host.freshUrl()}`));
const forgetLink = values['no-open'] ? () => undefined : openInBrowser(host.url);

async function end(): Promise<void> {
  forgetLink();
  await host.close();
  await shell.close();
  process.exit(0);
}
for (const signal of stopSignals()) process.once(signal, () => void end());
