import { counted } from './counted.ts';

export const manual = {
  title: 'Manual',
  contents: 'Contents',
  onThisPage: 'On this page',
  search: 'Search the manual',
  results: (count: number, words: string) =>
    count === 0
      ? `No results for "${words}"`
      : `${counted(count, { one: '# result', other: '# results' })} for "${words}"`,
  more: (count: number) => `${count} more: add a word to narrow the search.`,
  platforms: 'Platforms',
  notFound: 'This page is not in the manual',
  notFoundLead: 'The link may be from another version.',
  toContents: 'Go to the contents',
  openPage: 'Open in the manual',
  sides: { source: 'As a source', destination: 'As a destination' },
  connection: 'Connection',
  learnMore: 'Learn more',
  learnMoreOf: (what: string) => `Learn more: ${what}`,
} as const;
