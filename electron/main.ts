import { join } from 'node:path';
import { app, dialog } from 'electron';
import ElectronStore from 'electron-store';
import { startDesktopApp } from './main/desktop-app.ts';
import { sampleLab } from './workbench/sample-lab.ts';
import { utilityEngine } from './main/utility-engine.ts';

// Not awaited: Electron gets ready only after its entry module has been evaluated.
startDesktopApp({
  outFolder: join(import.meta.dirname, '..'),
  file: new ElectronStore(),
  argv: process.argv,
  sample: sampleLab(join(import.meta.dirname, '..', '..')),
  spawn: utilityEngine(join(import.meta.dirname, 'engine.js')),
  log: (message) => console.warn(`Causeway: ${message}`),
}).catch((error: unknown) => {
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(`Causeway: the app could not start: ${why}`);
  dialog.showErrorBox('Causeway could not start', why);
  app.exit(70);
});
