import { counted } from './counted.ts';

export const interchange = {
  title: 'Import and export',
  lead: 'Bring endpoints and transfers from Coriolis into this project, or export this project to it.',
  import: 'Import from Coriolis',
  importHelp:
    'Payloads of its REST interface (JSON), or a script with coriolis commands. You see what will be created before anything is written.',
  drop: 'Drop a file here',
  choose: 'Choose file…',
  nothing: 'The file has nothing that can be imported.',
  preview: (file: string) => `What will be created from ${file}`,
  previewCount: (endpoints: number, replicas: number) =>
    `${counted(endpoints, { one: '# endpoint', other: '# endpoints' })} and ${counted(replicas, { one: '# replica', other: '# replicas' })} selected. Nothing is written yet.`,
  otherFile: 'Other file',
  run: (count: number) => counted(count, { one: 'Create # item', other: 'Create # items' }),
  running: (done: number, all: number) => `${done} of ${all} created`,
  done: (created: number, failed: number) =>
    failed === 0
      ? counted(created, { one: '# item created.', other: '# items created.' })
      : `${counted(created, { one: '# item created', other: '# items created' })}, ${failed} failed.`,
  toReplicas: 'Show replicas',
  unknown: (id: string) => `Endpoint ${id} is`,
  unknownHelp:
    'The file refers to endpoints that it does not describe. For each of them, select an endpoint of this project.',
  notChosen: 'Not chosen',
  select: (name: string) => `Create ${name}`,
  kind: 'Kind',
  kinds: { endpoint: 'Endpoint', replica: 'Replica' },
  name: 'Name',
  where: 'Platform or path',
  outcome: 'Result',
  outcomes: { new: 'New', exists: 'Exists', created: 'Created', failed: 'Failed' },
  existsEndpoint: 'The project has an endpoint of this name. It is used and not changed.',
  existsReplica: 'The VM has a replica between these endpoints.',
  contents: 'Contents',
  show: 'Show',
  showOf: (name: string) => `Show the contents of ${name}`,
  contentsOf: (name: string) => `Contents of ${name}`,
  toVault: 'stored in the vault',
  deployWith: (options: string) =>
    `Coriolis deploys it with other options. To get the same, choose when you deploy it: ${options}.`,
  withoutPreparation: 'no OSMorphing',
  notImported: 'Not imported',
  notExported: 'Not exported',
  of: 'Of',
  what: 'Setting',
  why: 'Reason',
  export: 'Export to Coriolis',
  exportHelp:
    'Settings of the wave, the project and the provider configuration are part of each transfer. Secrets are never exported.',
  scope: 'Replicas',
  all: 'All replicas',
  ofWave: (wave: string) => `Wave ${wave}`,
  format: 'Format',
  formats: { payloads: 'Payloads (JSON)', commands: 'Script of commands' },
  save: 'Save file',
  written: 'What the file will contain',
  noReplicas: 'There are no replicas to export.',
} as const;
