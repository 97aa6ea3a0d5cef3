import type { CommandRegistrar } from './command-context.ts';

export interface ListedCommand {
  readonly name: string;
  /** What follows the name in the overview, where it takes something itself. */
  readonly usage?: string;
  /** Its heading in the overview. */
  readonly group: string;
  readonly description: string;
  /** Brings its definition, and that of others in the same file. */
  load(): Promise<CommandRegistrar>;
}

/** Every command, by its noun, in the order of the help: so much is known of one without loading it, because to define all of them takes as long as Node's own start. */
export const commandList: readonly ListedCommand[] = [
  {
    name: 'validate',
    usage: '[options] <file-or-folder...>',
    group: 'Without a connection:',
    description: 'Check environment documents without a network.',
    load: async () => (await import('./commands/documents.ts')).registerDocuments,
  },
  {
    name: 'explain',
    usage: '[options] <file>',
    group: 'Without a connection:',
    description: 'Print the effective environment of a document, with the origin of each value.',
    load: async () => (await import('./commands/documents.ts')).registerDocuments,
  },
  {
    name: 'schema',
    usage: '[options] <plugin> [side]',
    group: 'Without a connection:',
    description: 'Print the parameters of a plugin, or the JSON Schema of a whole environment document for editors.',
    load: async () => (await import('./commands/documents.ts')).registerDocuments,
  },
  {
    name: 'endpoint',
    group: 'Set up a project:',
    description: 'Endpoints: the clouds and hypervisors of the project.',
    load: async () => (await import('./commands/endpoint.ts')).registerEndpoint,
  },
  {
    name: 'vm',
    group: 'Plan:',
    description: 'VMs of source endpoints.',
    load: async () => (await import('./commands/vm.ts')).registerVm,
  },
  {
    name: 'guest',
    group: 'Plan:',
    description: 'Look at guest operating systems.',
    load: async () => (await import('./commands/guest.ts')).registerGuest,
  },
  {
    name: 'inventory',
    group: 'Plan:',
    description: 'Imported lists of VMs.',
    load: async () => (await import('./commands/inventory.ts')).registerInventory,
  },
  {
    name: 'interchange',
    group: 'Set up a project:',
    description:
      'Exchange endpoints and replicas with Coriolis: payloads of its REST interface, or arguments of its command line.',
    load: async () => (await import('./commands/interchange.ts')).registerInterchange,
  },
  {
    name: 'catalog',
    usage: '[options] <endpoint>',
    group: 'Plan:',
    description:
      'Save the networks, images and other names of a destination in a file, to check environments without a network.',
    load: async () => (await import('./commands/endpoint.ts')).registerCatalog,
  },
  {
    name: 'replica',
    group: 'Move VMs:',
    description: 'Replicas: copies of VMs at a destination, kept up to date.',
    load: async () => (await import('./commands/replica.ts')).registerReplica,
  },
  {
    name: 'wave',
    group: 'Plan:',
    description:
      'Groups of replicas that inherit settings and are planned, synchronised, rehearsed and cut over together.',
    load: async () => (await import('./commands/wave.ts')).registerWave,
  },
  {
    name: 'execution',
    group: 'Move VMs:',
    description: 'Executions of replicas.',
    load: async () => (await import('./commands/execution.ts')).registerExecution,
  },
  {
    name: 'worker',
    group: 'Move VMs:',
    description: 'Disk copy workers that executions use in turn, where starting one takes longer than the copy.',
    load: async () => (await import('./commands/worker.ts')).registerWorker,
  },
  {
    name: 'deployment',
    group: 'Move VMs:',
    description: 'Deployments: replicas made into running VMs.',
    load: async () => (await import('./commands/deployment.ts')).registerDeployment,
  },
  {
    name: 'migration',
    usage: '[options] <replica>',
    group: 'Move VMs:',
    description: 'Execute a replica and deploy it in one go. Resumes if interrupted before.',
    load: async () => (await import('./commands/deployment.ts')).registerMigration,
  },
  {
    name: 'rehearsal',
    group: 'Move VMs:',
    description: 'Test deployments in other networks, beside the running source.',
    load: async () => (await import('./commands/life.ts')).registerRehearsal,
  },
  {
    name: 'cutover',
    group: 'Move VMs:',
    description: 'Cut over VMs: approve, start, roll back, finalise.',
    load: async () => (await import('./commands/life.ts')).registerCutover,
  },
  {
    name: 'evidence',
    group: 'Prove:',
    description: 'What was done, in a journal that shows any later change.',
    load: async () => (await import('./commands/evidence.ts')).registerEvidence,
  },
  {
    name: 'ledger',
    group: 'Clean up:',
    description: 'The ledger: resources that Causeway created in clouds.',
    load: async () => (await import('./commands/ledger.ts')).registerLedger,
  },
  {
    name: 'project',
    group: 'Set up a project:',
    description: 'The project folder itself.',
    load: async () => (await import('./commands/project.ts')).registerProject,
  },
  {
    name: 'trust',
    group: 'Set up a project:',
    description: 'What the project may reach on this computer.',
    load: async () => (await import('./commands/project.ts')).registerTrust,
  },
  {
    name: 'vault',
    group: 'Set up a project:',
    description: "The project's encrypted secrets.",
    load: async () => (await import('./commands/vault.ts')).registerVault,
  },
  {
    name: 'mover',
    group: 'Set up a project:',
    description: 'Engines on other computers, reached over SSH: executions there continue while this computer sleeps.',
    load: async () => (await import('./commands/mover.ts')).registerMover,
  },
  {
    name: 'fleet',
    group: 'Set up a project:',
    description:
      'One project on several computers, through NATS servers that you run: descriptions and journals are shared, and others continue what a computer has left.',
    load: async () => (await import('./commands/fleet.ts')).registerFleet,
  },
  {
    name: 'doctor',
    usage: '[options]',
    group: 'Without a connection:',
    description:
      'Check whether this runtime has the cryptography, compression and database that Causeway needs, and show the proxy and the certificates in effect. Exit status 1 when something is missing.',
    load: async () => (await import('./commands/doctor.ts')).registerDoctor,
  },
];
