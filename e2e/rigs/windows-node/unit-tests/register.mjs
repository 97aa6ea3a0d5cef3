// For `--import`: `vitest` is `vitest-here.ts`. Plain JavaScript, as it runs before anything else.
import { registerHooks } from 'node:module';

const here = new URL('vitest-here.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vitest' ? { url: here, shortCircuit: true } : next(specifier, context),
});
