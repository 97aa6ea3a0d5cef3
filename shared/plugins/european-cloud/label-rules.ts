import type { Rule } from '../rule.ts';
import { isJsonObject } from '../../model/json.ts';
import { quoted } from '../rules/wording.ts';

/** The platform keeps labels as key and value, each of this alphabet; the environment takes a list of free texts. */
const labelWord = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const propertyKey = /^[A-Za-z0-9_:. -]{1,255}$/;

interface Label {
  readonly index: number;
  readonly text: string;
  readonly key: string;
  readonly value: string;
}

/** `key=value` is a label with a value, anything else one without. */
function labelsOf(list: unknown): Label[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((text: unknown, index) => {
    // what the shape refuses already is not reported once more
    if (typeof text !== 'string' || text === '' || text.length > 60 || /[/,]/.test(text)) return [];
    const split = text.indexOf('=');
    return [
      { index, text, key: split < 0 ? text : text.slice(0, split), value: split < 0 ? '' : text.slice(split + 1) },
    ];
  });
}

export const labelRules: readonly Rule[] = [
  {
    id: 'european-cloud/label-alphabet',
    *check({ environment }) {
      for (const { index, text, key, value } of labelsOf(environment['server_labels'])) {
        const reason = labelWord.test(key)
          ? value === '' || labelWord.test(value)
            ? key.startsWith('stackit-')
              ? 'the prefix stackit- is reserved'
              : undefined
            : 'its value contains an unsupported character'
          : 'its key is empty or contains an unsupported character';
        if (reason === undefined) continue;
        yield {
          severity: 'warning',
          at: ['server_labels', index],
          message: `The platform rejects the label ${quoted(text)}: ${reason}.`,
          suggestion: 'Use letters, digits, hyphens, underscores and dots, and begin and end with a letter or digit.',
        };
      }
    },
  },
  {
    id: 'european-cloud/label-twice',
    *check({ environment }) {
      const seen = new Set<string>();
      for (const { index, text, key } of labelsOf(environment['server_labels'])) {
        if (seen.has(key)) {
          yield {
            severity: 'warning',
            at: ['server_labels', index],
            message: `The label key ${quoted(key)} is used more than once, and only one value is kept: remove ${quoted(text)} or the other label.`,
          };
        }
        seen.add(key);
      }
    },
  },
  {
    id: 'european-cloud/property-form',
    *check({ environment }) {
      const properties = environment['server_properties'];
      if (!isJsonObject(properties)) return;
      for (const [key, value] of Object.entries(properties)) {
        const at = ['server_properties', key];
        if (!propertyKey.test(key)) {
          yield {
            severity: 'warning',
            at,
            message: `The platform rejects the property ${quoted(key)}: keys have at most 255 letters, digits, spaces and - _ : . characters.`,
          };
        }
        if (typeof value === 'string' && value.length > 255) {
          yield {
            severity: 'warning',
            at,
            message: 'The platform rejects the property: values have at most 255 characters.',
          };
        }
        if (typeof value === 'number' || typeof value === 'boolean') {
          yield {
            severity: 'info',
            at,
            message: `Properties are strings: ${String(value)} is sent as "${String(value)}".`,
          };
        }
      }
    },
  },
];
