import type { Finding } from '../../../shared/schema/finding.ts';

/** Where a finding stands in a text: from its place to the end of the key or value there. */
export function findingRange(document: string, { location }: Finding): { readonly from: number; readonly to: number } {
  if (location === undefined) return { from: 0, to: Math.max(0, document.indexOf('\n')) };
  let from = 0;
  for (let line = 1; line < location.line; line += 1) {
    const end = document.indexOf('\n', from);
    if (end < 0) break;
    from = end + 1;
  }
  from = Math.min(document.length, from + location.column - 1);
  const rest = document.slice(from, from + 400);
  const length = /^"(?:[^"\\\n]|\\.)*"|^'(?:[^'\n]|'')*'|^[^\s:,{}[\]#]+/.exec(rest)?.[0].length ?? 0;
  return { from, to: Math.min(document.length, from + Math.max(1, length)) };
}
