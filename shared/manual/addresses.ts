import type { PluginId, Side } from '../model/plugin-id.ts';

/**
 * Where things stand in the manual (docs/manual): what its pages are generated with, and what links from fields,
 * findings and errors lead to. Pages are paths below docs/manual without their ending.
 */
export const manualPages = {
  contents: 'README',
  failures: 'when-something-fails',
  environment: (plugin: PluginId, side: Side): string => `plugins/${plugin}-${side}`,
  connection: (plugin: PluginId): string => `plugins/${plugin}-connection`,
} as const;

/** Anchors on the pages. They stay the same when headings change. */
export const manualAnchors = {
  /** @param path dotted, with `[]` for the elements of a list or the entries of a mapping */
  key: (path: string): string => path,
  providerKey: (path: string): string => `provider.${path}`,
  error: (code: string): string => code,
  /** @param name of a rule, without its plugin or area */
  finding: (name: string): string => `finding-${name}`,
} as const;
