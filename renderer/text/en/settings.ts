export const settings = {
  title: 'Settings',
  lead: 'Your settings on this computer. They apply to all projects.',
  appearance: 'Appearance',
  language: 'Language',
  reducedMotion: 'Reduce motion',
  reducedMotionHelp: 'Turns off transitions and animated progress bars. The system preference always applies.',
  runs: 'Executions',
  executionLimit: 'Parallel executions',
  executionLimitHelp: '1 to 32. Further executions are queued. Applies when a project is next opened.',
  about: 'About',
  version: (version: string, host: string) => `Causeway ${version}, ${host === 'desktop' ? 'desktop app' : 'in a browser'}`,
  saved: 'Settings saved',
} as const;
