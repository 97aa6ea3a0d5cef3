import type { Finding } from '../schema/finding.ts';
import type { FileResult } from './file-result.ts';

const levels = { error: 'error', warning: 'warning', info: 'note' } as const;

/** Static Analysis Results Interchange Format 2.1.0 (OASIS), as code hosts take it in. `uriOf` makes a URI of a file's name. */
export function formatSarif(results: readonly FileResult[], uriOf: (file: string) => string = relativeUri): string {
  const ruleIds = [...new Set(results.flatMap(({ findings }) => findings.map(({ rule }) => rule)))].sort();
  const ruleIndex = new Map(ruleIds.map((id, index) => [id, index]));
  const log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'Causeway', rules: ruleIds.map((id) => ({ id, shortDescription: { text: inWords(id) } })) },
        },
        columnKind: 'utf16CodeUnits',
        artifacts: results.map(({ file }) => ({ location: { uri: uriOf(file) } })),
        results: results.flatMap(({ file, findings }, index) =>
          findings.map((finding) => resultOf(finding, uriOf(file), index, ruleIndex)),
        ),
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

function resultOf(finding: Finding, uri: string, artifact: number, ruleIndex: ReadonlyMap<string, number>): object {
  const { severity, path, rule, message, suggestion, location } = finding;
  return {
    ruleId: rule,
    ruleIndex: ruleIndex.get(rule) ?? -1,
    level: levels[severity],
    message: { text: suggestion === undefined ? message : `${message} ${suggestion}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri, index: artifact },
          ...(location === undefined ? {} : { region: { startLine: location.line, startColumn: location.column } }),
        },
        logicalLocations: [{ fullyQualifiedName: path, kind: 'member' }],
      },
    ],
  };
}

/** A URI reference: relative as the file was named, with what is not allowed in a URI escaped. */
export function relativeUri(file: string): string {
  const uri = file.split(/[\\/]/).map(encodeURIComponent).join('/');
  return uri.startsWith('/') ? `.${uri}` : uri;
}

function inWords(rule: string): string {
  const [area, name = ''] = rule.split('/');
  return `${name.replaceAll('-', ' ')} (${area})`;
}
