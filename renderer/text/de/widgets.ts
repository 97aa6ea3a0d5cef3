/** What tables and fields say by themselves, wherever they are. */
export const widgets = {
  noRows: 'Keine Einträge.',
  noMatch: 'Nichts entspricht der Suche und den Filtern',
  clearFilters: 'Suche und Filter zurücksetzen',
  rowsPerPage: 'Zeilen pro Seite',
  rows: (from: number, to: number, all: number) => `${from}–${to} von ${all}`,
  pages: {
    first: 'Zur ersten Seite',
    last: 'Zur letzten Seite',
    next: 'Zur nächsten Seite',
    previous: 'Zur vorherigen Seite',
  },
  openList: 'Öffnen',
  closeList: 'Schließen',
  clear: 'Leeren',
  noOptions: 'Keine Optionen',
} as const;
