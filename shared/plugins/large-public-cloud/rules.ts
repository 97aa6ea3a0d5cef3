import type { Rule } from '../../validation/rule.ts';
import { expand, textAt } from '../rules/environment-view.ts';
import { quoted } from '../rules/wording.ts';

/** Families that the vendor lists as previous generations, and the burstable t2 that newer regions lack. */
const previousGeneration = /^(?:t1|t2|m[1-4]|c[1-4]|cc2|cr1|g[123]|hi1|hs1|i2|r[34]|d2|p2|x1)\./i;

export const sourceRules: readonly Rule[] = [
  {
    id: 'large-public-cloud/previous-generation',
    *check({ environment }) {
      const type = textAt(environment, ['worker_instance_type']);
      if (type === undefined || !previousGeneration.test(type)) return;
      yield {
        severity: 'warning',
        at: ['worker_instance_type'],
        message: `${type} belongs to a previous generation: newer regions do not offer it.`,
        suggestion: 'Take a current type, e.g. t3.medium.',
      };
    },
  },
  {
    id: 'large-public-cloud/image-id-form',
    *check({ environment }) {
      for (const { path, value } of expand(environment, ['migr_image_map', '*'])) {
        if (typeof value !== 'string' || /^ami-[0-9a-f]{8,17}$/.test(value)) continue;
        yield {
          severity: 'warning',
          at: path,
          message: `${quoted(value)} does not look like a machine image ID (ami-…): a name is not enough here.`,
        };
      }
    },
  },
];
