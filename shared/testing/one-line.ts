/** A source text without the formatter's line breaks, for tests that look for a call and its arguments. */
export function oneLine(source: string): string {
  return source
    .replace(/([([{])\s*\n\s*/g, '$1')
    .replace(/,?\s*\n\s*([)\]}])/g, '$1')
    .replace(/\s*\n\s*/g, ' ');
}
