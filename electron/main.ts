import { join } from 'node:path';
import ElectronStore from 'electron-store';
import { startDesktopApp } from './main/desktop-app.ts';
import { utilityEngine } from './main/utility-engine.ts';

// Not awaited: Electron gets ready only after its entry module has been evaluated.
void startDesktopApp({
  outFolder: join(import.meta.dirname, '..'),
  file: new ElectronStore(),
  argv: process.argv,
  spawn: utilityEngine(join(import.meta.dirname, 'engine.js')),
  log: (message) => console.warn(`Causeway: ${message}`),
});
