import type { Rule } from '../rule.ts';
import { nearestSpelling } from '../../schema/spelling.ts';
import { expand, textAt } from '../rules/environment-view.ts';
import { workerMapCovers } from '../rules/worker-images.ts';
import { didYouMean, quoted } from '../rules/wording.ts';

const plugin = 'large-public-cloud';
const key = 'worker_instance_type';
const builtInType = 't2.medium';

/** Families that the vendor lists as previous generations, and the burstable t2 that newer regions lack. */
const previousGeneration = /^(?:t1|t2|m[1-4]|c[1-4]|cc2|cr1|g[123]|hi1|hs1|i2|r[34]|d2|p2|x1)\./;
const typeForm = /^[a-z][a-z0-9-]*\.[a-z0-9-]+$/;
const sizes = ['nano', 'micro', 'small', 'medium', 'large', 'xlarge'];
const isSize = (size: string) =>
  sizes.includes(size) || /^\d{1,3}xlarge$/.test(size) || /^metal(?:-\d{1,3}xl)?$/.test(size);

export const sourceRules: readonly Rule[] = [
  {
    id: `${plugin}/instance-type-form`,
    *check({ environment }) {
      const type = textAt(environment, [key]);
      if (type === undefined) return;
      const usual = type.trim().toLowerCase();
      if (!typeForm.test(type)) {
        yield {
          severity: 'error',
          at: [key],
          message: `${quoted(type)} is not a valid instance type. Use the form <family>.<size>, e.g. t3.medium.`,
          ...didYouMean(typeForm.test(usual) ? usual : undefined),
        };
      } else if (!isSize(type.slice(type.indexOf('.') + 1))) {
        const [family = '', size = ''] = type.split('.');
        const nearest = nearestSpelling(size, sizes);
        yield {
          severity: 'warning',
          at: [key],
          message: `${quoted(size)} is not a known size of instance types (${sizes.join(', ')}, 2xlarge …, metal).`,
          ...didYouMean(nearest === undefined ? undefined : `${family}.${nearest}`),
        };
      }
    },
  },
  {
    id: `${plugin}/previous-generation`,
    *check({ effective }) {
      const type = textAt(effective, [key]) ?? builtInType;
      if (!previousGeneration.test(type) || !isSize(type.slice(type.indexOf('.') + 1))) return;
      yield {
        // The default of the interface is one of them.
        severity: type === builtInType ? 'info' : 'warning',
        at: [key],
        message: `${type}${textAt(effective, [key]) === undefined ? ' (the default)' : ''} is a previous-generation type that newer regions do not offer.`,
        suggestion: 'Use a current type, e.g. t3.medium.',
      };
    },
  },
  {
    id: `${plugin}/image-id-form`,
    *check({ environment }) {
      for (const { path, value } of expand(environment, ['migr_image_map', '*'])) {
        if (typeof value !== 'string' || value.trim() === '' || /^ami-(?:[0-9a-f]{8}|[0-9a-f]{17})$/.test(value))
          continue;
        const usual = value.trim().toLowerCase();
        yield {
          severity: 'warning',
          at: path,
          message: `${quoted(value)} does not look like a machine image ID (ami- with 8 or 17 hexadecimal digits). Enter the ID, not the name.`,
          ...didYouMean(usual !== value && /^ami-(?:[0-9a-f]{8}|[0-9a-f]{17})$/.test(usual) ? usual : undefined),
        };
      }
    },
  },
  workerMapCovers(plugin, 'migr_image_map'),
];
