import type { NotCarried } from '../../../shared/interchange/payloads.ts';
import { table } from '../output/print.ts';

/** What was not carried over, one line each; empty where everything was. */
export function notCarriedText(title: string, items: readonly NotCarried[]): string {
  return items.length === 0
    ? ''
    : `${title}:\n${table(
        ['of', 'what', 'why'],
        items.map(({ of, what, why }) => [of, what, why]),
      )}`;
}
