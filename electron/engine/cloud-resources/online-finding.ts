import type { PluginId } from '../../../shared/model/plugin-id.ts';
import type { Finding } from '../../../shared/schema/finding.ts';

/** Takes one result of the on-line check; `name` is the rule's, without its area. */
export type Report = (severity: Finding['severity'], path: string, name: string, message: string) => void;

/** @param plugin that checks */
export function reportInto(plugin: PluginId, findings: Finding[]): Report {
  return (severity, path, name, message) => void findings.push({ severity, path, rule: `${plugin}/online-${name}`, message });
}

/** RFC 6901. */
export function pointer(...segments: readonly (string | number)[]): string {
  return segments.map((each) => `/${String(each).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
