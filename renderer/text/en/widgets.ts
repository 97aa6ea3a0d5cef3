/** What tables and fields say by themselves, wherever they are. */
export const widgets = {
  noRows: 'Nothing to show.',
  noMatch: 'Nothing matches the search and the filters',
  clearFilters: 'Clear search and filters',
  rowsPerPage: 'Rows per page',
  rows: (from: number, to: number, all: number) => `${from}–${to} of ${all}`,
  pages: {
    first: 'Go to first page',
    last: 'Go to last page',
    next: 'Go to next page',
    previous: 'Go to previous page',
  },
  openList: 'Open',
  closeList: 'Close',
  clear: 'Clear',
  noOptions: 'No options',
} as const;
