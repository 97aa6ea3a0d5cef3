import { join } from 'node:path';
import { _electron as electron } from 'playwright';
import { electronRuntime } from '../../scripts/electron-runtime.ts';
import { closedWith, stepTimeoutMs } from './workbench-in-browser.ts';
import type { Workbench, WorkbenchOptions } from './workbench.ts';

const root = join(import.meta.dirname, '..', '..');

/** The built desktop app in Electron, with settings of its own. */
export async function openWorkbenchInElectron({ settings, project }: WorkbenchOptions): Promise<Workbench> {
  const executablePath = electronRuntime(root);
  if (executablePath === undefined)
    throw new Error("Electron's runtime is not on this machine (npx install-electron fetches it)");
  await using stack = new AsyncDisposableStack();
  const app = stack.adopt(
    await electron.launch({
      executablePath,
      args: [
        root,
        `--user-data-dir=${settings}`,
        '--force-prefers-reduced-motion',
        // Chromium's sandbox refuses root, who runs the rigs.
        ...(process.geteuid?.() === 0 ? ['--no-sandbox'] : []),
        ...(project === undefined ? [] : ['--project', project]),
      ],
    }),
    (opened) => opened.close(),
  );
  app.context().setDefaultTimeout(stepTimeoutMs);
  const page = await app.firstWindow();
  await page.setViewportSize({ width: 1280, height: 860 });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  // The window has loaded its page before anybody could listen.
  await page.reload();
  return closedWith(stack.move(), {
    page,
    context: app.context(),
    complaints,
    hostPid: app.process().pid!,
    async nameFolder(form, folder) {
      // The system's dialog can't be driven: it answers as if somebody had chosen.
      await app.evaluate(({ dialog }, chosen) => {
        dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] });
      }, folder);
      await form.getByRole('button', { name: 'Choose', exact: true }).click();
    },
  } satisfies Omit<Workbench, 'close' | typeof Symbol.asyncDispose>);
}
