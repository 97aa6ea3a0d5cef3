import { BrowserWindow } from 'electron';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CausewayError } from '../../shared/model/causeway-error.ts';

/** Prints a report by the engine of the app itself, in a window that nobody sees and in which no script runs. @throws CausewayError `evidence.not-printed` */
export async function printPdf(html: string): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-print-'));
  const window = new BrowserWindow({
    show: false,
    webPreferences: {
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      javascript: false,
      partition: 'print',
    },
  });
  try {
    const file = join(folder, 'report.html');
    await writeFile(file, html, { mode: 0o600 });
    await window.loadFile(file);
    return await window.webContents.printToPDF({ printBackground: true, preferCSSPageSize: true });
  } catch (error) {
    throw new CausewayError('evidence.not-printed', error instanceof Error ? error.message : String(error), {
      cause: error,
    });
  } finally {
    window.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}
