import type { Command } from 'commander';
import { PassThrough } from 'node:stream';
import { createProgram } from '../program.ts';

/** The command line's definition: nothing of it is run. */
export function commandDefinition(): Promise<Command> {
  const silent = new PassThrough();
  return createProgram({
    stdout: silent,
    stderr: silent,
    env: {},
    entry: import.meta.url,
    signal: new AbortController().signal,
    run: () => async () => undefined,
  });
}

export function fullName(command: Command): string {
  return command.parent === null ? '' : `${fullName(command.parent)} ${command.name()}`.trim();
}

/**
 * What is wrong with a command line as a document shows it, against the definition; empty when nothing is.
 *
 * @param isWhole whether arguments may not be missing: in running text a command is often named by itself
 */
export function problemsOf(program: Command, line: string, isWhole: boolean): string[] {
  let command = program;
  const words = (line.match(/"[^"]*"|\S+/g) ?? []).slice(1);
  for (let child = childOf(command, words); child !== undefined; child = childOf(command, words)) {
    command = child;
    words.shift();
  }
  if (command.commands.length > 0)
    return isWhole || words.some((word) => !word.startsWith('-'))
      ? [`"${fullName(command)} ${words[0] ?? ''}" is not a command`]
      : [];
  const problems: string[] = [];
  let given = 0;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    if (!word.startsWith('-')) {
      given += 1;
      continue;
    }
    if (word === '--help') continue;
    const option = command.options.find((each) => each.long === word || each.short === word);
    if (option === undefined) problems.push(`${fullName(command)} has no ${word}`);
    if (option?.required !== true) continue;
    index += 1;
    const value = words[index];
    if (value === undefined && isWhole) problems.push(`${word} needs a value`);
    if (value !== undefined && option.argChoices !== undefined && !option.argChoices.includes(value))
      problems.push(`${word} does not take ${value}`);
  }
  const needed = command.registeredArguments.filter((argument) => argument.required).length;
  const most = command.registeredArguments.some((argument) => argument.variadic)
    ? Number.POSITIVE_INFINITY
    : command.registeredArguments.length;
  if (isWhole && given < needed) problems.push(`${fullName(command)} needs ${needed} arguments`);
  if (given > most) problems.push(`${fullName(command)} takes at most ${most} arguments`);
  return problems;
}

function childOf(command: Command, words: readonly string[]): Command | undefined {
  return command.commands.find((child) => child.name() === words[0]);
}
