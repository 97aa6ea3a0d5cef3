import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const ports: Readonly<Record<string, string>> = {
  SourcePlatform: 'source-platform',
  DiskReader: 'disk-reader',
  DestinationPlatform: 'destination-platform',
  DeploymentPlatform: 'deployment-platform',
};

/** The members of an interface, those that may be absent with a question mark. */
function membersOf(name: string, file: string): string[] {
  const path = join(root, 'electron/engine/ports', `${file}.ts`);
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found = source.statements.find(
    (statement): statement is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(statement) && statement.name.text === name,
  );
  return (found?.members ?? []).map(
    (member) => `${member.name?.getText(source)}${member.questionToken === undefined ? '' : '?'}`,
  );
}

/** The first column of the table under a heading of the page. */
function rowsOf(page: string, heading: string): string[] {
  const section = page.split(/^##+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, member]) => member ?? '');
}

test.for(Object.entries(ports))(
  'the table of %s in docs/add-a-platform.md has the members of the port, in their order',
  ([name, file]) => {
    const members = membersOf(name, file);
    expect(members.length).toBeGreaterThan(3);
    expect(rowsOf(readFileSync(join(root, 'docs/add-a-platform.md'), 'utf8'), name)).toEqual(members);
  },
);

test('docs/conformance.md names the suites and harnesses that exist', () => {
  const page = readFileSync(join(root, 'docs/conformance.md'), 'utf8');
  const rows = [...page.matchAll(/`(describe\w+|transportConformance)` in `(e2e\/[^`]+)`/g)];
  expect(rows).toHaveLength(5);
  for (const [, name, path] of rows)
    expect(readFileSync(join(root, path ?? ''), 'utf8')).toContain(`export function ${name}(`);
  const calls = readFileSync(join(root, 'e2e/conformance/platform-calls.ts'), 'utf8');
  for (const [, row] of page.matchAll(/^\| (`(?:faults|callCount|failCall|cutOff|clearFaults)`.*?) \|/gm)) {
    for (const [, member] of (row ?? '').matchAll(/`(\w+)`/g))
      expect(calls).toMatch(new RegExp(`^  (readonly )?${member}[(:]`, 'm'));
  }
});
