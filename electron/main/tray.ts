import { join } from 'node:path';
import { Menu, nativeImage, Tray } from 'electron';
import type { RunWatch } from '../workbench/run-watch.ts';

export interface TrayOptions {
  /** Folder of the icons. Electron finds those for denser screens by their names. */
  readonly icons: string;
  /** Brings the window to the front. */
  readonly show: () => void;
  readonly quit: () => void;
  readonly log: (message: string) => void;
  readonly platform?: NodeJS.Platform;
  /** How long the icon stays after the last execution, milliseconds: in a wave the next one soon begins. */
  readonly afterwardsMs?: number;
}

/**
 * An icon in the tray, or menu bar, while executions are under way: work goes on when the window is closed, and this is where it can be seen. It says
 * how much there is, brings the window back, and quits. Where the desktop has no place for it there is none.
 */
export function showInTrayWhileRunning(
  runs: RunWatch,
  { icons, show, quit, log, platform = process.platform, afterwardsMs = 5000 }: TrayOptions,
): void {
  let tray: Tray | undefined;
  let isMissing = false;
  let removal: NodeJS.Timeout | undefined;

  function made(): Tray {
    // On macOS an image of this name is drawn in the colours of the menu bar. Source: docs/api/native-image.md, Template image.
    const image = nativeImage.createFromPath(join(icons, platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'));
    const icon = new Tray(image);
    // There a click opens the menu by itself.
    if (platform !== 'darwin') icon.on('click', show);
    return icon;
  }

  runs.onChange((active) => {
    clearTimeout(removal);
    if (isMissing) return;
    try {
      if (active > 0) tray ??= made();
    } catch (error) {
      isMissing = true;
      return log(`there is no icon in the tray: ${error instanceof Error ? error.message : String(error)}`);
    }
    const what =
      active === 0
        ? 'No executions are running'
        : active === 1
          ? '1 execution is running'
          : `${active} executions are running`;
    tray?.setToolTip(`Causeway: ${what}`);
    // A menu that changes has to be set again on Linux. Source: docs/api/tray.md, platform considerations.
    tray?.setContextMenu(
      Menu.buildFromTemplate([
        { label: what, enabled: false },
        { type: 'separator' },
        { label: 'Open Causeway', click: show },
        { label: 'Quit', click: quit },
      ]),
    );
    if (active > 0) return;
    removal = setTimeout(() => {
      tray?.destroy();
      tray = undefined;
    }, afterwardsMs);
    removal.unref();
  });
}
