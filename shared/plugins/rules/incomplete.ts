import type { Rule } from '../rule.ts';
import { valueAt, type Path } from './environment-view.ts';

export interface NeededKey {
  readonly path: Path;
  /** Ends the sentence "<key> is not set: …". */
  readonly because: string;
  /** Another key that serves instead. */
  readonly or?: Path;
}

/** Keys without which a run fails, where another layer of a project or the plugin's own configuration may give them. */
export function keysAreSet(plugin: string, name: string, keys: readonly NeededKey[]): Rule {
  return {
    id: `${plugin}/${name}`,
    *check({ effective }) {
      for (const { path, because, or } of keys) {
        if (valueAt(effective, path) !== undefined || (or !== undefined && valueAt(effective, or) !== undefined))
          continue;
        yield {
          severity: 'warning',
          at: path,
          message: `${path.join('.')} is not set: ${because}.`,
          suggestion: `Set ${path.join('.')} here, or in the provider configuration, the project or the wave.`,
        };
      }
    },
  };
}
