import { errorCatalogue } from '../../shared/model/errors/catalogue.ts';
import type { ErrorText } from '../../shared/model/errors/error-text.ts';
import { manualAnchors } from '../../shared/manual/addresses.ts';
import { findingAreas } from '../../shared/validation/finding-texts.ts';

/** Headings of the areas that error codes begin with, in the order of the manual. */
const errorAreas: Readonly<Record<string, string>> = {
  general: 'General',
  engine: 'Engine and projects',
  store: 'Project database',
  secrets: 'Vault and secrets',
  trust: 'Trust and certificates',
  inventory: 'Inventory',
  source: 'Sources',
  replication: 'Replication',
  transport: 'Workers and transfer',
  cloud: 'Destination clouds',
  osmorphing: 'Guest preparation',
  deployment: 'Deployment',
  wave: 'Waves',
  life: 'Rehearsal, cut-over, roll-back and finalising',
  evidence: 'Evidence and reports',
  notification: 'Notifications',
  mover: 'Movers',
  fleet: 'Fleets',
};

/** Every error code with its meaning, cause and remedy, by areas. */
export function errorSections(): string {
  const byArea = Map.groupBy(Object.entries<ErrorText>(errorCatalogue), ([code]) => code.split('.')[0]!);
  const unnamed = [...byArea.keys()].filter((area) => errorAreas[area] === undefined);
  if (unnamed.length > 0)
    throw new Error(`headings in scripts/documents/failure-texts.ts: missing for ${unnamed.join(', ')}`);
  return Object.entries(errorAreas)
    .flatMap(([area, heading]) => [
      `### ${heading}`,
      ...(byArea.get(area) ?? []).map(([code, { title, cause, remedy, retryable }]) =>
        section(
          manualAnchors.error(code),
          title,
          code,
          cause,
          remedy,
          retryable ? 'the same action may succeed when it is tried again.' : undefined,
        ),
      ),
    ])
    .join('\n\n');
}

/** Every finding with its meaning, cause and remedy, by areas. */
export function findingSections(): string {
  return Object.entries(findingAreas)
    .flatMap(([area, rows]) => [
      `### ${area}`,
      ...Object.entries<readonly [string, string, string]>(rows).map(([name, [title, cause, remedy]]) =>
        section(manualAnchors.finding(name), title, name, cause, remedy),
      ),
    ])
    .join('\n\n');
}

function section(anchor: string, title: string, code: string, cause: string, remedy: string, further?: string): string {
  return [
    `<a id="${anchor}"></a>\n\n#### ${title} (\`${code}\`)`,
    `- Cause: ${cause}\n- Remedy: ${remedy}${further === undefined ? '' : `\n- Retry: ${further}`}`,
  ].join('\n\n');
}
