import { join } from 'node:path';
import ElectronStore from 'electron-store';
import { startDesktopApp } from './main/desktop-app.ts';
import { sampleLab } from './workbench/sample-lab.ts';
import { utilityEngine } from './main/utility-engine.ts';

// Not awaited: Electron gets ready only after its entry module has been evaluated.
void startDesktopApp({
  outFolder: join(import.meta.dirname, '..'),
  file: new ElectronStore(),
  argv: process.argv,
  sample: sampleLab(join(import.meta.dirname, '..', '..')),
  spawn: utilityEngine(join(import.meta.dirname, 'engine.js')),
  log: (message) => console.warn(`Causeway: ${message}`),
});
