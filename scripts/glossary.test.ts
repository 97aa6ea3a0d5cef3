import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** Words that docs/glossary.md and plain English replace, with what to write instead. */
const replaced: readonly (readonly [RegExp, string])[] = [
  [/\bwhom\b/i, 'server certificate, owner…'],
  [/\bwhose\b/i, 'with, of the'],
  [/\bis believed\b/i, 'is trusted'],
  [/\bwhat counts\b|\bit counts\b|\bcounts from\b/i, 'effective settings, applies from'],
  [/\btake from\b/i, 'import from'],
  [/\btake(s|n)? in\b/i, 'import'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\bg(o|oes|oing|one) on\b|\bwent on\b/i, 'resume, continue'],
  [
    /\b(a|one) (row|column|line|machine|value|file) a (page|row|line)\b|\b(one|rows|values) a (page|line|row)\b/i,
    'per page, per row, per line',
  ],
  [/\bof ours\b|\bours\b|\bbecause of us\b/i, 'Causeway, this project'],
  [/\bbehind it'?s back\b/i, 'without its knowledge'],
  [/\b(the|this|each|every|last|next|another|first) run\b/i, 'execution, deployment'],
  [/\bruns at the same time\b|\bruns of replicas?\b/i, 'concurrency, executions'],
  [/\bat once\b/i, 'immediately, in parallel'],
  [/\bwas (seen|looked at)\b|\bto be seen\b|\bbe seen of\b/i, 'details, checked'],
  [/\bis had\b|\bto be had\b/i, 'is available'],
  [/\bit holds\b|\bthat holds wins\b/i, 'takes effect, applies'],
  [/\bis told\b|\bbe told\b/i, 'is notified, is set'],
  [/\bleft out\b/i, 'skipped'],
  [/\bc(o|a)me up\b/i, 'boot'],
  [/\bwhat is said\b|\bnot named stays\b/i, 'settings, options not given'],
  [/\bis no (part|key|object|catalog|plugin)\b/i, 'unknown, is not a'],
  [/\bpast its life\b/i, 'end-of-life'],
  [/\bdistrust\b/i, 'suspect'],
  [/\bin the evidence\b/i, 'in the details'],
  [/\bwants (a|an|key|JSON|one)\b/i, 'must be'],
  [/\bfor a look\b/i, 'for troubleshooting'],
  [/\bundoes\b|\bundo what\b/i, 'roll back'],
  [/\barrived\b/i, 'was received'],
];

/** Texts that may say it all the same, each with the reason. Schema steps are never changed: a database records their digests. */
const allowed: readonly { readonly text: string; readonly reason: string }[] = [];

/** What is wrong in a comment too, whatever it is about. */
const replacedInComments: readonly (readonly [RegExp, string])[] = [
  [/\bwhom\b/i, 'server certificate, owner…'],
  [/\bof ours\b|\bours\b/i, 'created resource, Causeway'],
  [/\b(is|are) had\b|\bto be had\b/i, 'is available'],
  [/\b(came|comes?) up\b/i, 'boots, starts'],
  [/\btaken up again\b/i, 'resumed'],
  [/\bpast its life\b/i, 'end-of-life'],
];

const textsByPath = new Map<string, ReturnType<typeof readTexts>>();
/** Read once for all tests here. */
function textsOf(path: string): ReturnType<typeof readTexts> {
  const texts = textsByPath.get(path) ?? readTexts(path);
  textsByPath.set(path, texts);
  return texts;
}

/** Every text in a file's code: literals, the parts of templates, text of the page. Comments and imports are left out. */
function readTexts(path: string): { readonly line: number; readonly text: string }[] {
  const content = readFileSync(path, 'utf8');
  // To parse a file takes much longer than to see that none of the words is anywhere in it.
  if (
    ![...replaced.map(([words]) => words), ...allowed.map(({ text }) => text)].some((words) =>
      typeof words === 'string' ? content.includes(words) : words.test(content),
    )
  )
    return [];
  const source = ts.createSourceFile(
    path,
    content,
    ts.ScriptTarget.Latest,
    true,
    path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const found: { line: number; text: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
    if (ts.isTemplateExpression(node))
      found.push(at(node, [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')));
    else if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) found.push(at(node, node.text));
    ts.forEachChild(node, visit);
  };
  const at = (node: ts.Node, text: string) => ({
    line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
    text,
  });
  visit(source);
  return found;
}

const inOneLine = (comment: string): string => comment.replaceAll(/\n\s*\*? ?/g, ' ');

/** Every comment in a file's code, by the scanner: a `//` in a text is not one. */
function commentsOf(path: string): { readonly line: number; readonly text: string }[] {
  const content = readFileSync(path, 'utf8');
  const line = inOneLine(content);
  if (!replacedInComments.some(([words]) => words.test(line))) return [];
  const source = ts.createSourceFile(path, content, ts.ScriptTarget.Latest, true);
  const found = new Map<number, { line: number; text: string }>();
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(content, node.getFullStart()) ?? []) {
      found.set(pos, {
        line: source.getLineAndCharacterOfPosition(pos).line + 1,
        text: inOneLine(content.slice(pos, end)),
      });
    }
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return [...found.values()];
}

const root = join(import.meta.dirname, '..');
const files = globSync(['renderer/text/**/*.ts', 'shared/**/*.ts', 'electron/**/*.ts'], { cwd: root }).filter(
  (path) => !path.endsWith('.test.ts') && !path.includes('/testing/'),
);

test.each(['renderer/text', 'shared', 'electron'])('the texts in %s use the words of the glossary', (folder) => {
  const wrong = files
    .filter((path) => path.startsWith(folder))
    .flatMap((path) =>
      textsOf(join(root, path)).flatMap(({ line, text }) =>
        replaced
          .filter(
            ([words]) => words.test(text) && !/CREATE TABLE/.test(text) && !allowed.some((one) => one.text === text),
          )
          .map(([words, better]) => `${path}:${line}: "${words.exec(text)![0]}" (better: ${better}) in: ${text}`),
      ),
    );
  expect(wrong).toEqual([]);
});

/** Tests may name the words. */
const commented = globSync(['{renderer,shared,electron,e2e,scripts}/**/*.{ts,tsx}'], { cwd: root }).filter(
  (path) => !/\.(test|spec)\.tsx?$/.test(path),
);

test.each(['renderer', 'shared', 'electron', 'e2e', 'scripts'])('the comments in %s use plain words', (folder) => {
  const wrong = commented
    .filter((path) => path.startsWith(`${folder}/`))
    .flatMap((path) =>
      commentsOf(join(root, path)).flatMap(({ line, text }) =>
        replacedInComments
          .filter(([words]) => words.test(text))
          .map(([words, better]) => `${path}:${line}: "${words.exec(text)![0]}" (better: ${better}) in: ${text}`),
      ),
    );
  expect(wrong).toEqual([]);
});

/** Links to tests have the titles of tests, which nobody but developers reads. */
const withoutTitles = (page: string): string =>
  page.replaceAll(/\[[^\]]*\]\(\.\.\/[^()]*(?:\.test\.ts|\.spec\.ts|\.py)\)/g, '');

test('the pages use the words of the glossary', () => {
  const pages = ['README.md', ...globSync('docs/{*,manual/*}.md', { cwd: root })];
  const wrong = pages.flatMap((path) =>
    withoutTitles(readFileSync(join(root, path), 'utf8'))
      .split('\n')
      .flatMap((text, index) =>
        replaced
          .filter(([words]) => words.test(text))
          .map(([words, better]) => `${path}:${index + 1}: "${words.exec(text)![0]}" (better: ${better})`),
      ),
  );
  expect(wrong).toEqual([]);
});

test('the pages beside the code use plain words', () => {
  const pages = globSync(['{electron,e2e,assets,shared,examples}/**/*.md'], { cwd: root });
  expect(pages.length).toBeGreaterThan(10);
  const wrong = pages.flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((text, index) =>
        replacedInComments
          .filter(([words]) => words.test(text))
          .map(([words, better]) => `${path}:${index + 1}: "${words.exec(text)![0]}" (better: ${better})`),
      ),
  );
  expect(wrong).toEqual([]);
});

test('what is allowed is still there', () => {
  const all = new Set(files.flatMap((path) => textsOf(join(root, path)).map(({ text }) => text)));
  expect(allowed.filter(({ text }) => !all.has(text))).toEqual([]);
});

test('the glossary is sorted, and has each word once', () => {
  const words = [...readFileSync(join(root, 'docs', 'glossary.md'), 'utf8').matchAll(/^\| ([^|]+) \| [^-]/gm)]
    .map(([, word]) => word!)
    .slice(1);
  expect(words.length).toBeGreaterThan(40);
  expect(words).toEqual([...new Set(words)].toSorted((a, b) => a.localeCompare(b, 'en')));
});
