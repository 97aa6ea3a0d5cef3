import type { Rule } from '../rule.ts';
import { textAt } from '../rules/environment-view.ts';

const key = 'disklib_compatibility_version';
/** Releases of the platform that the disk library has been made for. */
const versions = ['5.0', '5.1', '5.5', '6.0', '6.5', '6.7', '7.0', '8.0', '9.0'];

export const sourceRules: readonly Rule[] = [
  {
    id: 'virtualization-platform/disklib-version',
    *check({ environment }) {
      const version = textAt(environment, [key]);
      if (version === undefined || !/^\d{1,3}\.\d{1,3}$/.test(version) || versions.includes(version)) return;
      yield {
        severity: 'warning',
        at: [key],
        message: `${version} is not a known version of the platform.`,
        suggestion: `Use the version of the source, as <major>.<minor>: ${versions.join(', ')}.`,
      };
    },
  },
];
