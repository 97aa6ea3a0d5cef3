import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { headFileOf, openJournal, readHead } from './journal.ts';
import { canonicalJson, sha256, verifyJournal } from './verify-journal.ts';
import { rounds } from '../../../shared/testing/rounds.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-evidence-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = (): string => join(folder, 'journal.jsonl');
const verified = () => verifyJournal(readFileSync(path()), readHead(headFileOf(path())));
const fill = (count: number): void => {
  const journal = openJournal(folder);
  for (let number = 1; number <= count; number += 1) {
    journal.append({
      kind: 'approved',
      by: 'anna',
      replica: { id: `rep-${number}`, name: 'web' },
      data: { number, text: 'a "quoted" Ünïcode\n' },
    });
  }
};

describe('a journal of evidence', () => {
  test('is read again as it was written, and goes on', () => {
    fill(3);
    const again = openJournal(folder);
    expect(again.entries().map(({ n, kind }) => [n, kind])).toEqual([
      [1, 'journal-started'],
      [2, 'approved'],
      [3, 'approved'],
      [4, 'approved'],
    ]);
    again.append({ kind: 'finalised', by: 'anna', data: {} });
    expect(verified()).toMatchObject({ count: 5, problems: [], unfinished: false });
  });

  test('shows any change, deletion, reordering, insertion and truncation', () => {
    fill(5);
    const original = readFileSync(path());
    const head = readHead(headFileOf(path()));
    const lines = original.toString('utf8').trimEnd().split('\n');
    const broken = (bytes: Uint8Array): boolean => verifyJournal(bytes, head).problems.length > 0;
    expect(broken(original)).toBe(false);
    fc.assert(
      fc.property(fc.nat(original.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const changed = Buffer.from(original);
        changed[at] = (changed[at]! + by) % 256;
        return broken(changed);
      }),
      { numRuns: rounds(500) },
    );
    fc.assert(
      fc.property(fc.nat(original.length - 1), (length) => broken(original.subarray(0, length))),
      { numRuns: rounds(300) },
    );
    fc.assert(
      fc.property(fc.nat(original.length - 1), fc.integer({ min: 1, max: 400 }), (at, length) =>
        broken(Buffer.concat([original.subarray(0, at), original.subarray(at + length)])),
      ),
      { numRuns: rounds(300) },
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(lines, { minLength: 1 }), (chosen) => {
        const text = `${chosen.join('\n')}\n`;
        return text === original.toString('utf8') || broken(Buffer.from(text));
      }),
      { numRuns: rounds(300) },
    );
    fc.assert(
      fc.property(fc.nat(lines.length), fc.nat(lines.length - 1), (at, copied) =>
        broken(Buffer.from(`${[...lines.slice(0, at), lines[copied]!, ...lines.slice(at)].join('\n')}\n`)),
      ),
      { numRuns: rounds(100) },
    );
    // An entry that continues the chain as it should is still not one that the head confirms.
    const forged = canonicalJson({
      v: 1,
      n: 7,
      at: new Date().toISOString(),
      kind: 'approved',
      by: 'nobody',
      data: {},
      prev: sha256(lines.at(-1) ?? ''),
    });
    expect(verifyJournal(Buffer.concat([original, Buffer.from(`${forged}\n`)]), head).problems).toEqual([
      expect.stringContaining('entries were added'),
    ]);
  });

  test('keeps every confirmed entry and stays verifiable when the process ends anywhere in a write', () => {
    const steps = ['announce', 'replace head', 'write', 'half a line', 'confirm'];
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...steps), fc.nat(2)), { minLength: 1, maxLength: 6 }), (kills) => {
        let life = mkdtempSync(join(folder, 'life-'));
        const confirmed: number[] = [];
        let number = 0;
        for (const [step, skip] of kills) {
          let left = skip;
          let next: string | undefined;
          const atStep = (reached: string): void => {
            if (reached !== step || (left -= 1) >= 0) return;
            // What a killed process leaves: nothing that comes after this moment.
            next = mkdtempSync(join(folder, 'life-'));
            cpSync(life, next, { recursive: true });
            throw new Error('killed');
          };
          try {
            const journal = openJournal(life, { atStep });
            for (let count = 0; count < 4; count += 1) {
              number += 1;
              journal.append({ kind: 'approved', by: 'anna', data: { number } });
              confirmed.push(number);
            }
          } catch (error) {
            if ((error as Error).message !== 'killed') throw error;
          }
          life = next ?? life;
          const file = join(life, 'journal.jsonl');
          if (existsSync(file) && verifyJournal(readFileSync(file), readHead(headFileOf(file))).problems.length > 0)
            return false;
        }
        const last = openJournal(life);
        const kept = last.entries().map(({ data }) => data['number']);
        return confirmed.every((n) => kept.includes(n)) && last.status().problems.length === 0;
      }),
      { numRuns: rounds(20) },
    );
  });

  test('is set aside unchanged when it does not verify, and the new one says so', () => {
    fill(2);
    const text = readFileSync(path(), 'utf8').replace('"anna"', '"erik"');
    writeFileSync(path(), text);
    const journal = openJournal(folder);
    const aside = readdirSync(folder).find((file) => /damaged-.*Z$/.test(file) && !file.includes('head'));
    expect(readFileSync(join(folder, aside ?? ''), 'utf8')).toBe(text);
    expect(journal.entries()[0]).toMatchObject({ kind: 'journal-started', data: { replaces: aside } });
    expect(journal.status().problems).toHaveLength(1);
    expect(verified().problems).toEqual([]);
  });

  test('a missing head is noticed, hostile lines are named without repeating them', () => {
    fill(1);
    rmSync(headFileOf(path()));
    expect(openJournal(folder).status().problems).toHaveLength(1);
    const hostile = verifyJournal(
      Buffer.from('{"__proto__":1}\n[]\nsecret-token\n{"v":1,"v":1}\n\xff\n', 'latin1'),
      undefined,
    );
    expect(hostile.problems.length).toBeGreaterThan(4);
    expect(JSON.stringify(hostile.problems)).not.toContain('secret-token');
  });

  test.skipIf(process.platform === 'win32' || inject('lacking').includes('python3'))(
    'verifies with sha256sum and the documented lines of Python, which find a change',
    () => {
      fill(3);
      const manual = readFileSync(join(import.meta.dirname, '../../../docs/manual/evidence.md'), 'utf8');
      const script = /```python\n(import hashlib, json.*?)```/s.exec(manual)?.[1] ?? '';
      writeFileSync(join(folder, 'verify.py'), script);
      const run = (): string =>
        execFileSync('python3', [join(folder, 'verify.py'), path(), headFileOf(path())], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        });
      expect(run()).toContain('4 entries');
      const shell = `tail -n 1 ${path()} | tr -d '\\n' | sha256sum`;
      expect(execFileSync('sh', ['-c', shell], { encoding: 'utf8' }).slice(0, 64)).toBe(
        readHead(headFileOf(path()))?.head,
      );
      expect(manual).toContain("tr -d '\\n' | sha256sum");
      writeFileSync(path(), readFileSync(path(), 'utf8').replace('"anna"', '"erik"'));
      expect(run).toThrow();
    },
  );
});
