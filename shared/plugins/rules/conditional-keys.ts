import type { JsonObject } from '../../model/json.ts';
import type { Rule } from '../rule.ts';
import { type Path, valueAt } from './environment-view.ts';

interface Condition {
  readonly keys: readonly Path[];
  readonly hasEffect: (effective: JsonObject) => boolean;
  /** Ends the sentence "<key> has no effect: …". */
  readonly because: string;
  readonly suggestion?: string;
}

/** Keys that do nothing unless another key says so. Only what the document itself gives is reported. */
export function noEffectUnless(id: string, condition: Condition): Rule {
  return {
    id,
    *check({ environment, effective }) {
      if (condition.hasEffect(effective)) return;
      for (const path of condition.keys) {
        if (valueAt(environment, path) === undefined) continue;
        yield {
          severity: 'warning',
          at: path,
          message: `${String(path.at(-1))} has no effect: ${condition.because}.`,
          ...(condition.suggestion === undefined ? {} : { suggestion: condition.suggestion }),
        };
      }
    },
  };
}
