import { describe, expect, test } from 'vitest';
import { errorCatalogue } from './catalogue.ts';

describe.each(Object.entries(errorCatalogue))('%s', (_code, { title, cause, remedy }) => {
  test('has a title, a cause and a remedy in whole sentences', () => {
    expect(title).toMatch(/^.{8,}[^.\s]$/);
    for (const text of [cause, remedy]) expect(text).toMatch(/^.{8,}[.?]$/s);
  });

  test('names no command of the command line: the workbench shows it as well', () => {
    // The workbench reads this variable too, and engines are made outside of both.
    const words = remedy.replace('CAUSEWAY_MOVER_ARCHIVE', '').replace('`npm run package -- --engine`', '');
    expect(words).not.toMatch(/causeway [a-z]|(^| )--[a-z]|chmod|CAUSEWAY_/);
  });
});
