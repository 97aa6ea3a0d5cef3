import { join } from 'node:path';
import { app, BrowserWindow, Menu, powerMonitor, safeStorage, session, shell as desktop } from 'electron';
import { z } from 'zod';
import { opened } from '../../shared/contract/envelope.ts';
import type { Replica } from '../../shared/model/replica.ts';
import type { SpawnEngine } from '../workbench/engine-process.ts';
import { defaultDrainMs } from '../workbench/engine-supervisor.ts';
import { watchRuns } from '../workbench/run-watch.ts';
import type { SampleLab } from '../workbench/sample-lab.ts';
import { settingsStore, type KeyValueFile } from '../workbench/settings-store.ts';
import { createShell } from '../workbench/shell.ts';
import { sendEvents, serveContract } from './contract-ipc.ts';
import { showClosingWindow } from './closing-window.ts';
import { chooseFolder } from './dialogs.ts';
import { menuTemplate } from './menu.ts';
import { askBeforeUnload } from './unsaved-changes.ts';
import { registerPageScheme, servePage } from './page-scheme.ts';
import { printPdf } from './print-pdf.ts';
import { guardQuit, quitWhenIdle } from './quit.ts';
import { reloadAfterCrash } from './renderer-crash.ts';
import { keepAwakeWhileRunning, notifyOfEnds, onWake } from './power-and-notifications.ts';
import { safeStorageWrapper } from './safe-storage-wrapper.ts';
import { showInTrayWhileRunning } from './tray.ts';
import { applyWebRules, refusePermissions } from './web-rules.ts';
import { namedProject } from './named-project.ts';
import { openWorkbench } from './window.ts';

/** By it Windows knows whose notifications are shown; the installer's shortcut has the same one (`appId` of electron-builder.yml). */
export const appUserModelId = 'org.causeway.workbench';

const toastActivator = '{6f2c1b0e-5a0d-4f0b-9d0e-2c8a3b7e41d5}';

/** What a second start hands over to the first one. */
const startRequestSchema = z.object({ argv: z.array(z.string()), workingFolder: z.string() });
type StartRequest = z.infer<typeof startRequestSchema>;

/**
 * The desktop app, from before it is ready to its first window. A second start hands over to the first one and ends.
 *
 * @param outFolder the built application
 * @param file settings, recent projects, the window's place
 */
export async function startDesktopApp(options: {
  readonly outFolder: string;
  readonly file: KeyValueFile;
  readonly spawn: SpawnEngine;
  /** What the app was started with: `--project <folder>` opens that project. */
  readonly argv?: readonly string[];
  /** A lab to try it on; undefined in a packaged app, which has none. */
  readonly sample?: SampleLab | undefined;
  readonly log: (message: string) => void;
}): Promise<void> {
  const asked: StartRequest = { argv: [...(options.argv ?? [])], workingFolder: process.cwd() };
  if (!app.requestSingleInstanceLock(asked)) return app.quit();
  const { outFolder, file, log } = options;
  // What has to be said before the app is ready.
  if (process.platform === 'win32') {
    app.setAppUserModelId(appUserModelId);
    // Otherwise Electron makes one anew at each start, and a click on an older notification leads nowhere.
    app.setToastActivatorCLSID(toastActivator);
  }
  app.enableSandbox();
  registerPageScheme();
  applyWebRules(app, { openOutside: (url) => desktop.openExternal(url), log });

  const window = (): BrowserWindow | undefined => BrowserWindow.getAllWindows()[0];
  const shell = createShell({
    host: 'desktop',
    version: app.getVersion(),
    settings: settingsStore(file),
    spawn: options.spawn,
    keyStore: safeStorageWrapper(safeStorage),
    chooseFolder: () => chooseFolder(window()),
    printPdf,
    installation: { application: join(outFolder, '..'), archive: process.env['CAUSEWAY_MOVER_ARCHIVE'] || undefined },
    ...(options.sample === undefined ? {} : { sample: options.sample }),
  });
  const runs = watchRuns(shell);
  const quit = guardQuit({
    app,
    runs,
    close: () => shell.close(),
    showClosing: (count) => showClosingWindow(count, defaultDrainMs),
  });
  quitWhenIdle({ app, runs, hasWindow: () => window() !== undefined });

  /** The window to the front, a new one where there is none. */
  const show = (): void => {
    if (quit.isClosing()) return;
    const shown = window() ?? open();
    if (shown.isMinimized()) shown.restore();
    shown.focus();
  };
  const open = (): BrowserWindow => {
    const opening = openWorkbench(outFolder, file);
    sendEvents(shell, opening.webContents);
    reloadAfterCrash(opening.webContents, log);
    askBeforeUnload(opening.webContents, quit.isSessionEnding);
    quit.watchSession(opening);
    return opening;
  };

  await app.whenReady();
  refusePermissions(session.defaultSession);
  servePage(join(outFolder, 'renderer'));
  serveContract(shell);
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(
      menuTemplate((command) => {
        // On macOS the menu is there without a window; a new one has a page only when it has loaded.
        const target = window();
        if (target !== undefined) return shell.command(command);
        open().webContents.once('did-finish-load', () => shell.command(command));
      }),
    ),
  );
  keepAwakeWhileRunning(runs);
  showInTrayWhileRunning(runs, { icons: join(outFolder, '..', 'assets', 'tray'), show, quit: () => app.quit(), log });
  // Linux and macOS: the system waits until the app has quit.
  powerMonitor.on('shutdown', ((event?: { preventDefault(): void }) => {
    event?.preventDefault();
    quit.endSession();
  }) as () => void);
  onWake((asleepMs) => shell.woke(asleepMs));
  notifyOfEnds(runs, {
    isLookedAt: () => window()?.isFocused() === true,
    nameOf: async (replica) => {
      const answer = await shell.dispatch('replica.show', { replica }, AbortSignal.timeout(5000));
      return answer.ok ? (opened(answer) as Replica).name : undefined;
    },
    show,
    log,
  });
  open();
  app.on('activate', show);
  const openNamed = (argv: readonly string[], workingFolder: string): void => {
    const folder = namedProject(argv, workingFolder);
    if (folder !== undefined)
      shell
        .openNamed(folder)
        .catch((error: unknown) =>
          log(`could not open ${folder}: ${error instanceof Error ? error.message : String(error)}`),
        );
  };
  openNamed(asked.argv, asked.workingFolder);
  // Chromium reorders the arguments of its own event: `--project <folder>` would come apart. Source: docs/api/app.md, event second-instance.
  app.on('second-instance', (_event, _argv, _workingFolder, additionalData) => {
    show();
    const parsed = startRequestSchema.safeParse(additionalData);
    if (parsed.success) openNamed(parsed.data.argv, parsed.data.workingFolder);
  });
}
