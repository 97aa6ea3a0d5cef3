import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Written over in place: on a full disk there is no room for a new file, nor for a larger one. */
const sizeBytes = 4096;

const wordsSchema = z.object({
  at: z.string(),
  message: z.string(),
  replicaId: z.string().optional(),
  executionId: z.string().optional(),
  deploymentId: z.string().optional(),
});
export type Words = z.infer<typeof wordsSchema>;

export interface LastWords {
  /** Keeps this for the next opening of the project, in place of what was kept before. Never throws. */
  write(words: Words): void;
  /** What an earlier life could not record, and forgets it. */
  take(): Words | undefined;
}

/** A file that says why something stopped when the database could not be written. Its space is taken in advance. */
export function lastWords(folder: string): LastWords {
  const path = join(folder, 'last-words.json');
  const put = (text: string): void => {
    try {
      if (!existsSync(path)) writeFileSync(path, ' '.repeat(sizeBytes), { mode: 0o600 });
      const file = openSync(path, 'r+');
      try {
        writeSync(file, text.padEnd(sizeBytes), 0);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    } catch {
      if (text !== '') process.stderr.write(`causeway: ${text}\n`);
    }
  };
  if (!existsSync(path)) put('');
  return {
    write: (words) => put(JSON.stringify({ ...words, message: words.message.slice(0, 1000) })),
    take() {
      const words = read(path);
      if (words !== undefined) put('');
      return words;
    },
  };
}

function read(path: string): Words | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? undefined : wordsSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
