import { counted } from './counted.ts';

export const validation = {
  title: 'Validate environment files',
  lead: 'Drop or choose environment documents. They are validated on this computer, without connecting to an endpoint.',
  drop: 'Drop YAML or JSON files, or a folder, here',
  choose: 'Choose files',
  sample: 'Try an example',
  clear: 'Remove all',
  none: 'Valid. No findings.',
  empty: 'No documents yet',
  file: 'File',
  severity: 'Severity',
  place: 'Location',
  finding: 'Finding',
  suggestion: 'Suggestion',
  filter: 'Show',
  all: 'All findings',
  error: 'Error',
  warning: 'Warning',
  info: 'Information',
  noCatalog: 'Names and ranges are not compared with what a destination has. Configure does that for each replica.',
  summary: (files: number, errors: number, warnings: number) =>
    `${counted(files, { one: '# file', other: '# files' })}, ${counted(errors, { one: '# error', other: '# errors' })}, ${counted(warnings, { one: '# warning', other: '# warnings' })}`,
  search: 'Search findings',
  mend: 'Fix',
  mendNow: 'Fix',
  mendOf: (path: string) => `Fix: ${path}`,
  mendAll: (count: number) => counted(count, { one: 'Apply # fix', other: 'Apply # fixes' }),
  unsaved: (names: readonly string[]) =>
    names.length === 1
      ? `${names[0]} has fixes that are not saved.`
      : `${names.length} files have fixes that are not saved.`,
  saveAll: (count: number) => `Save all (${count})`,
  showFiles: 'Show files',
  hideFiles: 'Hide files',
  save: 'Save',
  saveOf: (name: string) => `Save ${name}`,
  noneShown: 'No findings of this kind.',
  export: 'Save report',
  formats: {
    html: 'HTML, to read and print',
    csv: 'CSV, for spreadsheets',
    json: 'JSON, for scripts',
    sarif: 'SARIF, for code hosts',
  },
  unreadable: (name: string) => `${name} could not be read`,
} as const;
