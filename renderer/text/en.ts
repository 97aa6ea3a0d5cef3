/** Every text of the workbench, in one place, so that wording stays consistent and can be translated. */
export const text = {
  app: { name: 'Causeway', skip: 'Skip to content', scheme: 'Colour scheme', light: 'Light', dark: 'Dark', system: 'As the system' },
  navigation: { label: 'Screens', validation: 'Check files' },
  validation: {
    title: 'Check environment files',
    lead: 'Drop environment documents, or choose them. They are checked here, on this computer, without any endpoint.',
    drop: 'Drop YAML or JSON files or a folder here',
    choose: 'Choose files',
    sample: 'Try an example',
    clear: 'Remove all',
    none: 'Nothing found: these documents are valid.',
    empty: 'No document yet',
    file: 'File',
    severity: 'Severity',
    place: 'Place',
    finding: 'Finding',
    suggestion: 'Suggestion',
    filter: 'Show',
    all: 'Everything',
    error: 'Error',
    warning: 'Warning',
    info: 'Note',
    summary: (files: number, errors: number, warnings: number) =>
      `${files} ${files === 1 ? 'file' : 'files'}, ${errors} ${errors === 1 ? 'error' : 'errors'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
    unreadable: (name: string) => `${name} could not be read`,
  },
} as const;
