import { isJsonObject } from '../../model/json.ts';
import type { Rule } from '../rule.ts';
import { keysWithoutPlainTag, refusedTags } from './instance-tags.ts';

const key = 'instance_tags';

/** What becomes of the pairs on the server. */
export const tagRules: readonly Rule[] = [
  {
    id: 'open-source-cloud/tag-form',
    *check({ environment }) {
      const tags = environment[key];
      if (!isJsonObject(tags)) return;
      for (const { key: name, reason } of refusedTags(tags))
        yield { severity: 'error', at: [key, name], message: `The tag cannot be set: ${reason}.` };
    },
  },
  {
    id: 'open-source-cloud/tag-as-metadata-alone',
    *check({ environment }) {
      const tags = environment[key];
      if (!isJsonObject(tags)) return;
      const refused = new Set(refusedTags(tags).map((each) => each.key));
      for (const name of keysWithoutPlainTag(tags)) {
        if (refused.has(name)) continue;
        yield {
          severity: 'info',
          at: [key, name],
          message:
            'Set as metadata only: a server has at most 50 tags, each with at most 60 characters as key=value and without / or comma.',
        };
      }
    },
  },
];
