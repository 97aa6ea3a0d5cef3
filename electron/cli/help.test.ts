import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createProgram } from './program.ts';

const silent = new PassThrough();
const program = createProgram({
  stdout: silent, stderr: silent, env: {}, entry: import.meta.url, signal: new AbortController().signal, run: () => async () => undefined,
});

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

function nameOf(command: Command): string {
  return command.parent === null ? '' : `${nameOf(command.parent)} ${command.name()}`.trim();
}

describe.each(leaves(program).map((command) => [nameOf(command), command] as const))('causeway %s', (_name, command) => {
  test('says what it does, what it takes, and what each option means', () => {
    expect(command.description()).toMatch(/^[A-Z].+\.$/s);
    for (const option of command.options) expect(`${option.flags}: ${option.description}`).toMatch(/: .{4,}/);
    for (const argument of command.registeredArguments) if (argument.name() !== 'name') expect(`${argument.name()}: ${argument.description}`).toMatch(/: .{2,}/);
    expect(command.helpInformation()).not.toMatch(/default: (\[\]|undefined|false)/);
  });
});

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const examples = readme.split('\n').filter((line) => /^causeway [a-z]/.test(line)).map((line) => line.replace(/\s+#.*$/, ''));

test('the README has examples', () => expect(examples.length).toBeGreaterThan(10));
test.each(examples)('the README is right: %s', (example) => {
  let command = program;
  const words = example.split(/\s+/).slice(1);
  for (let child = next(command, words); child !== undefined; child = next(command, words)) {
    command = child;
    words.shift();
  }
  expect(command.commands, `${nameOf(command)} is no command`).toEqual([]);
  let given = 0;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (!word.startsWith('-')) {
      given += 1;
      continue;
    }
    const option = command.options.find((each) => each.long === word || each.short === word);
    expect(option, `${nameOf(command)} has no ${word}`).toBeDefined();
    if (option?.required === true) index += 1;
  }
  const needed = command.registeredArguments.filter((argument) => argument.required).length;
  const most = command.registeredArguments.some((argument) => argument.variadic) ? Number.POSITIVE_INFINITY : command.registeredArguments.length;
  expect(given).toBeGreaterThanOrEqual(needed);
  expect(given).toBeLessThanOrEqual(most);
});

function next(command: Command, words: readonly string[]): Command | undefined {
  return command.commands.find((child) => child.name() === words[0]);
}
