const sealStart = '<!-- causeway-seal ';

/** A report with a seal over all that is before it. @param head of the journal when the report was made */
export function sealed(html: string, head: string, sha256: (text: string) => string): string {
  return `${html}${sealStart}sha256=${sha256(html)} head=${head} -->\n`;
}

/** The parts of a report's seal; undefined for what has none. */
export function sealOf(
  html: string,
): { readonly sealed: string; readonly sha256: string; readonly head: string } | undefined {
  const at = html.lastIndexOf(sealStart);
  const found =
    at < 0 ? null : /^<!-- causeway-seal sha256=([0-9a-f]{64}) head=([0-9a-f]{64}) -->\n$/.exec(html.slice(at));
  return found === null ? undefined : { sealed: html.slice(0, at), sha256: found[1] ?? '', head: found[2] ?? '' };
}
