import { lexer, type Token, type Tokens } from 'marked';
import { manualPages } from '../../../shared/manual/addresses.ts';

declare global {
  interface ImportMeta {
    /** Files that the build takes in, by their paths. */
    glob<T>(
      pattern: string,
      options: { readonly query: '?raw'; readonly import: 'default'; readonly eager: true },
    ): Readonly<Record<string, T>>;
  }
}

/** The files themselves, as they were when the page was built: nothing is loaded later. */
const files = import.meta.glob<string>('../../../docs/manual/**/*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** A heading and what stands below it, up to the next heading. */
export interface ManualSection {
  /** What links lead to; '' for what stands before the first heading but the title. */
  readonly anchor: string;
  readonly level: number;
  readonly heading: readonly Token[];
  readonly title: string;
  readonly blocks: readonly Token[];
}

export interface ManualPage {
  /** Below docs/manual, without its ending. */
  readonly name: string;
  readonly title: string;
  readonly sections: readonly ManualSection[];
}

const texts = new Map(
  Object.entries(files).map(([path, content]) => [
    path.replace(/^.*\/docs\/manual\//, '').replace(/\.md$/, ''),
    content,
  ]),
);
const parsed = new Map<string, ManualPage>();

/** Names of all pages: what is written by hand first, in the order of reading, then the platforms. */
export const manualNames: readonly string[] = [
  manualPages.contents,
  'first-migration',
  'environment-files',
  'editors',
  'interchange',
  'cut-over-night',
  'evidence',
  'hyper-v',
  'aws',
  'azure',
  'oci',
  'oracle-vm',
  'oracle-classic',
  'worker-pools',
  'movers',
  'fleets',
  'company-networks',
  manualPages.failures,
  ...[...texts.keys()].filter((name) => name.startsWith('plugins/')).toSorted(),
].filter((name) => texts.has(name));

/** A page, parsed when it is first asked for; undefined for a name that the manual does not have. */
export function manualPage(name: string): ManualPage | undefined {
  const content = texts.get(name);
  const known = parsed.get(name);
  if (content === undefined || known !== undefined) return known;
  const page = parsePage(name, content);
  parsed.set(name, page);
  return page;
}

export function parsePage(name: string, content: string): ManualPage {
  const sections: { anchor: string; level: number; heading: readonly Token[]; title: string; blocks: Token[] }[] = [
    { anchor: '', level: 1, heading: [], title: '', blocks: [] },
  ];
  let title = name;
  let given: string | undefined;
  for (const token of lexer(content)) {
    const anchor = anchorIn(token);
    if (anchor !== undefined) given = anchor;
    else if (token.type === 'heading') {
      const { depth, tokens, text } = token as Tokens.Heading;
      const plain = plainText(tokens);
      if (depth === 1) title = plain;
      else sections.push({ anchor: given ?? slugOf(text), level: depth, heading: tokens, title: plain, blocks: [] });
      given = undefined;
    } else if (token.type !== 'space' && token.type !== 'html') sections.at(-1)!.blocks.push(token);
  }
  return { name, title, sections: sections.filter(({ anchor, blocks }) => anchor !== '' || blocks.length > 0) };
}

/** The only HTML that pages hold beside comments: an anchor in front of a heading. */
function anchorIn(token: Token): string | undefined {
  return /^<a id="([^"<>]+)"><\/a>\s*$/.exec(token.raw)?.[1];
}

/** As code hosts make anchors of headings. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** What a reader sees of tokens, without their form. */
export function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token): string => {
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)).join(' ')).join(' ');
      }
      if (token.type === 'list') return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(' ');
      if ('tokens' in token && token.tokens !== undefined) return plainText(token.tokens);
      return token.type === 'html' || token.type === 'space'
        ? ''
        : unescaped('text' in token && typeof token.text === 'string' ? token.text : token.raw);
    })
    .join('');
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/** The parser escapes texts for HTML, which nothing here becomes. */
export function unescaped(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
}

/** Where a link on a page leads to within the manual; undefined for any other link. */
export function linkTarget(
  from: string,
  href: string,
): { readonly page: string; readonly anchor: string | undefined } | undefined {
  const [file = '', anchor] = href.split('#');
  if (/^[a-z]+:|^\//i.test(file)) return undefined;
  if (file === '') return { page: from, anchor };
  const parts = from.split('/').slice(0, -1);
  for (const part of file.replace(/\.md$/, '').split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return { page: parts.join('/'), anchor };
}
