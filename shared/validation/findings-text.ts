import type { Finding } from './finding.ts';

/** More than anybody reads at once; the file that has so many has one cause. */
const mostShown = 50;

/** All findings as one message, one per line with its place. */
export function findingsText(findings: readonly Pick<Finding, 'path' | 'message'>[]): string {
  const lines = findings.slice(0, mostShown).map(({ path, message }) => `${path || '/'}: ${message}`);
  const left = findings.length - lines.length;
  return [...lines, ...(left > 0 ? [`${left} more errors are not shown: correct these first.`] : [])].join('\n');
}
