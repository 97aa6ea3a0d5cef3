import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readmeCommands } from './readme-commands.ts';

test('the commands of the first code block are read without their comments', () => {
  expect(
    readmeCommands('# Name\n\n```sh\nnpm run one -- --a   # first; b#c\n\nnpm two#three\n```\n\n```\nother\n```\n'),
  ).toEqual(['npm run one -- --a', 'npm two#three']);
  expect(readmeCommands('no block')).toEqual([]);
});

test('the README has the commands that are tried on clean machines', () => {
  expect(readmeCommands(readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8'))).toEqual([
    'npm run demo',
    'npm test',
    'npm start',
  ]);
});
