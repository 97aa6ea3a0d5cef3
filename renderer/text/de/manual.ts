import { counted } from './counted.ts';

export const manual = {
  title: 'Handbuch',
  contents: 'Inhalt',
  onThisPage: 'Auf dieser Seite',
  search: 'Handbuch durchsuchen',
  results: (count: number, words: string) =>
    count === 0
      ? `Keine Ergebnisse für „${words}“`
      : `${counted(count, { one: '# Ergebnis', other: '# Ergebnisse' })} für „${words}“`,
  more: (count: number) => `${count} weitere: Fügen Sie ein Wort hinzu, um die Suche einzugrenzen.`,
  platforms: 'Plattformen',
  notFound: 'Diese Seite ist nicht im Handbuch enthalten',
  notFoundLead: 'Der Link stammt möglicherweise aus einer anderen Version.',
  toContents: 'Zum Inhalt',
  openPage: 'Im Handbuch öffnen',
  sides: { source: 'Als Quelle', destination: 'Als Ziel' },
  connection: 'Verbindung',
  learnMore: 'Weitere Informationen',
  learnMoreOf: (what: string) => `Weitere Informationen: ${what}`,
} as const;
