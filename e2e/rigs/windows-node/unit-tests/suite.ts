import { format } from 'node:util';

/** The part of vitest that declares tests, for a Node on which vitest itself does not start. */
type Body = (...given: never[]) => unknown;
type Hook = () => unknown;

interface Suite {
  readonly names: readonly string[];
  readonly isSkipped: boolean;
  readonly outer: Suite | undefined;
  readonly parts: (
    | Suite
    | { readonly name: string; readonly body: Hook; readonly isSkipped: boolean; readonly timeoutMs: number }
  )[];
  readonly beforeAll: Hook[];
  readonly afterAll: Hook[];
  readonly beforeEach: Hook[];
  readonly afterEach: Hook[];
}

export interface TestResult {
  readonly file: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed. */
  readonly problem?: string;
}

const defaultTimeoutMs = 120_000;

const newSuite = (names: readonly string[], outer?: Suite, isSkipped = outer?.isSkipped ?? false): Suite => ({
  names,
  isSkipped,
  outer,
  parts: [],
  beforeAll: [],
  afterAll: [],
  beforeEach: [],
  afterEach: [],
});

let current = newSuite([]);

function declareSuite(name: string, body: Hook, isSkipped = false): void {
  const suite = newSuite([...current.names, name], current, isSkipped || current.isSkipped);
  current.parts.push(suite);
  current = suite;
  try {
    body();
  } finally {
    current = suite.outer!;
  }
}

function declareTest(name: string, body: Hook, isSkipped = false, timeoutMs = defaultTimeoutMs): void {
  current.parts.push({ name, body, isSkipped: isSkipped || current.isSkipped, timeoutMs });
}

type Options = { readonly timeout?: number };

function declarer(
  declare: (name: string, body: Hook, isSkipped?: boolean, timeoutMs?: number) => void,
  isSkipped = false,
) {
  /** As vitest takes them: options second, or a time limit third. */
  const one = (name: string, second: Options | Body, third?: Body | number): void => {
    const body = (typeof second === 'function' ? second : third) as Hook;
    declare(
      name,
      () => body(),
      isSkipped,
      typeof second === 'function' ? (third as number | undefined) : second.timeout,
    );
  };
  const each =
    (rows: readonly unknown[], isSpread: boolean) =>
    (name: string, second: Options | Body, third?: Body | number): void => {
      const body = (typeof second === 'function' ? second : third) as (...given: readonly unknown[]) => unknown;
      rows.forEach((row, index) => {
        const values = isSpread && Array.isArray(row) ? (row as unknown[]) : [row];
        declare(
          titleOf(name, values, index),
          () => body(...values),
          isSkipped,
          typeof second === 'function' ? (third as number | undefined) : second.timeout,
        );
      });
    };
  return Object.assign(one, {
    each: (rows: readonly unknown[]) => each(rows, true),
    for: (rows: readonly unknown[]) => each(rows, false),
    skip: (name: string, second: Options | Body, third?: Body | number): void =>
      declare(name, () => undefined, second !== third),
  });
}

function titleOf(name: string, values: readonly unknown[], index: number): string {
  return format(
    name
      .replaceAll('%#', String(index))
      .replaceAll(/\$\w+/g, (whole) =>
        String((values[0] as Record<string, unknown> | undefined)?.[whole.slice(1)] ?? whole),
      ),
    ...values,
  );
}

function conditional(declare: Parameters<typeof declarer>[0]) {
  return Object.assign(declarer(declare), {
    skipIf: (condition: unknown) => declarer(declare, Boolean(condition)),
    runIf: (condition: unknown) => declarer(declare, !condition),
  });
}

/** Programs that tests are skipped without: those that run here start none. */
export const inject = (_name: 'lacking'): readonly string[] => [];
export const describe = conditional(declareSuite);
export const test = conditional(declareTest);
export const it = test;
export const beforeAll = (hook: Hook): void => void current.beforeAll.push(hook);
export const afterAll = (hook: Hook): void => void current.afterAll.unshift(hook);
export const beforeEach = (hook: Hook): void => void current.beforeEach.push(hook);
export const afterEach = (hook: Hook): void => void current.afterEach.unshift(hook);

/** Loads one file and runs what it declares, one test after the other. */
export async function runFile(
  file: string,
  load: () => Promise<unknown>,
  tell: (result: TestResult) => void,
): Promise<void> {
  current = newSuite([]);
  try {
    await load();
  } catch (error) {
    return tell({ file, name: '(the file)', outcome: 'failed', problem: told(error) });
  }
  await runSuite(current, file, tell);
}

async function runSuite(suite: Suite, file: string, tell: (result: TestResult) => void): Promise<void> {
  const name = (last: string): string => [...suite.names, last].join(' > ');
  let broken: string | undefined;
  if (!suite.isSkipped) broken = await problemOf(() => inOrder(suite.beforeAll), defaultTimeoutMs);
  for (const part of suite.parts) {
    if ('parts' in part) {
      await runSuite(part, file, tell);
      continue;
    }
    if (part.isSkipped) {
      tell({ file, name: name(part.name), outcome: 'skipped' });
      continue;
    }
    const lineage: Suite[] = [];
    for (let at: Suite | undefined = suite; at !== undefined; at = at.outer) lineage.unshift(at);
    const problem =
      broken ??
      (await problemOf(async () => {
        try {
          for (const each of lineage) await inOrder(each.beforeEach);
          await part.body();
        } finally {
          for (const each of lineage.toReversed()) await inOrder(each.afterEach);
        }
      }, part.timeoutMs));
    tell({
      file,
      name: name(part.name),
      outcome: problem === undefined ? 'passed' : 'failed',
      ...(problem === undefined ? {} : { problem }),
    });
  }
  if (suite.isSkipped) return;
  const problem = await problemOf(() => inOrder(suite.afterAll), defaultTimeoutMs);
  if (problem !== undefined) tell({ file, name: name('(afterAll)'), outcome: 'failed', problem });
}

async function inOrder(hooks: readonly Hook[]): Promise<void> {
  for (const hook of hooks) await hook();
}

async function problemOf(work: () => Promise<void>, timeoutMs: number): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`still running after ${timeoutMs / 1000} s`)), timeoutMs);
  });
  try {
    await Promise.race([work(), late]);
    return undefined;
  } catch (error) {
    return told(error);
  } finally {
    clearTimeout(timer);
  }
}

function told(error: unknown): string {
  return error instanceof Error ? `${error.stack ?? error.message}` : String(error);
}
