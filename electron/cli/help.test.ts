import { globSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { runProgram } from './program.ts';
import { commandDefinition, fullName, problemsOf } from './testing/written-command.ts';

const program = await commandDefinition();

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

describe.each(leaves(program).map((command) => [fullName(command), command] as const))(
  'causeway %s',
  (_name, command) => {
    test('says what it does, what it takes, and what each option means', () => {
      expect(command.description()).toMatch(/^[A-Z].+\.$/s);
      for (const option of command.options) expect(`${option.flags}: ${option.description}`).toMatch(/: .{4,}/);
      for (const argument of command.registeredArguments)
        if (argument.name() !== 'name') expect(`${argument.name()}: ${argument.description}`).toMatch(/: .{2,}/);
      expect(command.helpInformation()).not.toMatch(/default: (\[\]|undefined|false)/);
    });
  },
);

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const examples = readme
  .split('\n')
  .filter((line) => /^causeway [a-z]/.test(line))
  .map((line) => line.replace(/\s+#.*$/, ''));

test('the README has examples', () => expect(examples.length).toBeGreaterThan(10));
test.each(examples)('the README is right: %s', (example) => expect(problemsOf(program, example, true)).toEqual([]));

test('the other pages name commands that exist, with their options', () => {
  const root = new URL('../../', import.meta.url);
  const pages = globSync(['docs/*.md', '{electron,e2e,assets,examples}/**/*.md'], { cwd: root });
  const named = pages.flatMap((page) =>
    [...readFileSync(new URL(page, root), 'utf8').matchAll(/`(causeway [a-z][^`]*)`/g)].map(([, line]) => ({
      page,
      line: line!,
    })),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(
    named.flatMap(({ page, line }) =>
      problemsOf(program, line, false).map((problem) => `${page}: ${line}: ${problem}`),
    ),
  ).toEqual([]);
});

test('the overview has every command in a group, and shows first steps that are right', () => {
  let shown = '';
  program.configureOutput({ writeOut: (text) => void (shown += text) }).outputHelp();
  expect(shown).not.toMatch(/^Commands:\n(?! {2}help)/m);
  const steps = shown
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('causeway '));
  expect(steps.length).toBeGreaterThan(5);
  expect(steps.flatMap((step) => problemsOf(program, step, true))).toEqual([]);
});

test('the overview, which defines no command, shows them as they are', async () => {
  const shownFor = async (...argv: string[]): Promise<string> => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    expect(
      await runProgram(argv, { stdout, stderr, env: {}, entry: import.meta.url, signal: new AbortController().signal }),
    ).toBe(argv.length === 0 ? 2 : 0);
    return String(stdout.read() ?? stderr.read());
  };
  // Without arguments all commands are defined.
  expect(await shownFor('--help')).toBe(await shownFor());
  expect(await shownFor('wave', '--help')).toBe(await shownFor('help', 'wave'));
});
