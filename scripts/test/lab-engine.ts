import { join } from 'node:path';
import { build } from 'vite';
import { librariesApart } from '../bundled-libraries.ts';

/**
 * Bundles the lab's engine, which specs start dozens of times to kill it: from hundreds of sources it takes three times as much processor
 * time to start. Answers with what tells the lab of it (`e2e/rigs/project/lab-project.ts`).
 */
export async function bundleLabEngine(root: string): Promise<Readonly<Record<string, string>>> {
  const outDir = join(root, 'out', 'lab');
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: librariesApart(root) },
    build: {
      ssr: join(root, 'e2e/rigs/project/engine-process.ts'),
      outDir,
      emptyOutDir: true,
      minify: false,
      rollupOptions: { output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' } },
    },
  });
  return { CAUSEWAY_LAB_ENGINE: join(outDir, 'engine-process.js') };
}
