import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { bundledLibraries } from './scripts/bundled-libraries.ts';

/**
 * Three builds: what runs in Node (main, engine, command line, host), the preload script (CommonJS: a sandboxed preload
 * can't be a module), the renderer. `CAUSEWAY_BUILD=node` builds the first alone, for the command line.
 */
const node = {
  build: {
    externalizeDeps: { exclude: bundledLibraries(resolve('.')) },
    outDir: 'out/main',
    emptyOutDir: true,
    sourcemap: true,
    rollupOptions: {
      input: {
        main: resolve('electron/main.ts'),
        engine: resolve('electron/engine.ts'),
        cli: resolve('electron/cli.ts'),
        host: resolve('electron/host.ts'),
        mover: resolve('electron/mover.ts'),
      },
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  },
};

const preload = {
  build: {
    // A sandboxed preload script can require nothing but electron: everything else goes into the one file.
    externalizeDeps: false,
    outDir: 'out/preload',
    rollupOptions: { input: { preload: resolve('electron/preload.ts') }, output: { format: 'cjs' as const, entryFileNames: '[name].cjs' } },
  },
};

const renderer = {
  root: 'renderer',
  plugins: [react()],
  build: {
    outDir: 'out/renderer',
    // It is loaded from this computer, at once.
    chunkSizeWarningLimit: 4096,
    minify: true,
    // The content security policy lets fonts in as files of the page alone, not as data: addresses.
    assetsInlineLimit: 0,
    rollupOptions: { input: { index: resolve('renderer/index.html') } },
  },
};

export default defineConfig(process.env['CAUSEWAY_BUILD'] === 'node' ? { main: node } : { main: node, preload, renderer });
