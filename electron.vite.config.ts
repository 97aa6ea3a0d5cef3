import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { HtmlTagDescriptor, Plugin, Rollup } from 'vite';
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
    rollupOptions: {
      input: { preload: resolve('electron/preload.ts') },
      output: { format: 'cjs' as const, entryFileNames: '[name].cjs' },
    },
  },
};

/** What the page needs to choose its language, and to be allowed to load anything else. */
const beforeTexts =
  /[\\/](node_modules[\\/]zod|renderer[\\/]text[\\/](en|chosen-language|languages|plurals|pseudo)|renderer[\\/]app[\\/](parsers-without-eval|page-secret))/;

/** The page imports most of itself once it knows its language. All of it comes at once, instead of one file after the other says what it needs. */
const preloadWorkbench: Plugin = {
  name: 'preload-workbench',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }): HtmlTagDescriptor[] {
      const chunks = Object.values(bundle).filter((part): part is Rollup.OutputChunk => part.type === 'chunk');
      const first = chunks.find(({ facadeModuleId }) => facadeModuleId === resolve('renderer/app/workbench.tsx'));
      const entry = chunks.find(({ isEntry }) => isEntry);
      const wanted = new Set<string>();
      const collect = (name: string): void => {
        if (wanted.has(name)) return;
        wanted.add(name);
        for (const needed of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) collect(needed);
      };
      if (first === undefined || entry === undefined)
        throw new Error('The build has no chunk for renderer/app/workbench.tsx');
      collect(entry.fileName);
      const early = chunks.filter(({ fileName }) => wanted.has(fileName)).flatMap(({ moduleIds }) => moduleIds);
      if (early.includes(resolve('renderer/text/text.ts')))
        throw new Error('The build takes the texts before their language is known');
      const known = new Set(wanted);
      collect(first.fileName);
      // Vite names what the entry imports.
      return [...wanted]
        .filter((name) => !known.has(name))
        .map((name) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `./${name}` },
          injectTo: 'head',
        }));
    },
  },
};

const renderer = {
  root: 'renderer',
  plugins: [react(), preloadWorkbench],
  build: {
    outDir: 'out/renderer',
    // It is loaded from this computer, at once.
    chunkSizeWarningLimit: 4096,
    minify: true,
    // The content security policy lets fonts in as files of the page alone, not as data: addresses.
    assetsInlineLimit: 0,
    rollupOptions: {
      input: { index: resolve('renderer/index.html') },
      // Some larger files instead of a hundred small ones: what several screens use is one. What chooses the language comes before it.
      output: {
        codeSplitting: {
          groups: [
            { name: 'language', test: beforeTexts, priority: 1 },
            { name: 'library', test: /[\\/]node_modules[\\/]/, minShareCount: 3, priority: 0.5 },
            { name: 'shared', minShareCount: 3 },
          ],
        },
      },
    },
  },
};

export default defineConfig(
  process.env['CAUSEWAY_BUILD'] === 'node' ? { main: node } : { main: node, preload, renderer },
);
