/** One command of a script: its words without quotes, and the line on which it begins. */
export interface ScriptCommand {
  readonly line: number;
  readonly words: readonly string[];
}

/**
 * Splits a script into commands and words as a POSIX shell reads them: quotes, backslashes, continued lines, comments. Nothing is
 * expanded: a variable stays as it is written.
 */
export function splitWords(script: string): readonly ScriptCommand[] {
  const commands: ScriptCommand[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let quote = '';
  let line = 1;
  let startedAt = 1;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push({ line: startedAt, words });
    words = [];
  };
  for (let index = 0; index < script.length; index += 1) {
    const character = script[index]!;
    if (character === '\n') line += 1;
    if (quote === "'") {
      if (character === "'") quote = '';
      else word = `${word ?? ''}${character}`;
    } else if (character === '\\') {
      const next = script[index + 1] ?? '';
      index += 1;
      if (next === '\n') line += 1;
      // In double quotes a backslash escapes these alone.
      else word = `${word ?? ''}${quote === '"' && !'"\\$`'.includes(next) ? '\\' : ''}${next}`;
    } else if (quote === '"') {
      if (character === '"') quote = '';
      else word = `${word ?? ''}${character}`;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (character === '\n' || character === ';' || character === '&' || character === '|') {
      endCommand();
    } else if (character === '#' && word === undefined) {
      while (index + 1 < script.length && script[index + 1] !== '\n') index += 1;
    } else if (/\s/.test(character)) {
      endWord();
    } else {
      if (words.length === 0 && word === undefined) startedAt = line;
      word = `${word ?? ''}${character}`;
    }
  }
  endCommand();
  return commands;
}

/** A word as a POSIX shell takes it. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
