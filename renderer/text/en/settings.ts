export const settings = {
  title: 'Settings',
  lead: 'They belong to you on this computer, not to a project.',
  appearance: 'Appearance',
  reducedMotion: 'Reduce motion',
  reducedMotionHelp: 'No transitions and no moving bars. The system’s own preference counts in any case.',
  runs: 'Runs',
  executionLimit: 'Executions at the same time',
  executionLimitHelp: '1 to 32. Others wait. It counts from the next time a project is opened.',
  about: 'About',
  version: (version: string, host: string) => `Causeway ${version}, ${host === 'desktop' ? 'desktop app' : 'in a browser'}`,
  saved: 'Settings saved',
} as const;
