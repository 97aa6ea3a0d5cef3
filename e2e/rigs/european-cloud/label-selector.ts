import { badRequest } from '../cloud-kit/call.ts';
import type { Labels } from './records.ts';

/**
 * A label selector as a predicate: comma-separated requirements `key=value`, `key==value`, `key!=value`, `key`, `!key`,
 * `key in (a,b)`, `key notin (a,b)`; all of them have to hold.
 */
export function parseLabelSelector(selector: string): (labels: Labels) => boolean {
  const requirements = splitOutsideParentheses(selector)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseRequirement);
  return (labels) => requirements.every((holds) => holds(labels));
}

function parseRequirement(text: string): (labels: Labels) => boolean {
  const set = /^([\w.-]+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(text);
  if (set !== null) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return (labels) => values.includes(labels[key] ?? '\0') === (operator === 'in');
  }
  const comparison = /^([\w.-]+)\s*(==|=|!=)\s*([\w.-]*)$/.exec(text);
  if (comparison !== null) {
    const [, key = '', operator, value = ''] = comparison;
    return (labels) => (labels[key] === value) === (operator !== '!=');
  }
  const presence = /^(!?)([\w.-]+)$/.exec(text);
  if (presence !== null) {
    const [, not, key = ''] = presence;
    return (labels) => (labels[key] !== undefined) === (not === '');
  }
  throw badRequest(`label selector is not valid: ${text}`);
}

function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let current = '';
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) {
      parts.push(current);
      current = '';
    } else {
      current += character;
    }
  }
  return [...parts, current];
}
