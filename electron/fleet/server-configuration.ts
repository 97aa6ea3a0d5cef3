import { descriptionBucket } from './description-exchange.ts';
import { claimBucket } from './nats-claims.ts';
import { journalStream } from './nats-journal.ts';
import { callSubject, liveSubject } from './nats-live.ts';

/** What a member of a fleet may do, held by the NATS servers and not by the member itself. */
export const fleetRoles = ['viewer', 'operator', 'owner'] as const;
export type FleetRole = (typeof fleetRoles)[number];

export interface FleetUser {
  readonly name: string;
  readonly role: FleetRole;
  /** Public NKey; whoever has the seed is this user. */
  readonly publicKey: string;
}

/** What a role may ask of the servers. All answers come to inboxes. No role may make consumers: whoever makes one chooses where it delivers to. */
export function publishAllowed(project: string, role: FleetRole): string[] {
  const streams = streamsOf(project);
  // Without the first one the servers would take an account of viewers for one with streams of its own.
  const read = ['$JS.API.INFO', ...streams.flatMap(readingOf)];
  const work = [
    `causeway.${project}.journal.*`,
    `$KV.${claimBucket(project)}.>`,
    `$KV.${descriptionBucket(project)}.>`,
    liveSubject(project),
    callSubject(project, '*'),
  ];
  // Nobody may delete, purge or change a stream: the history of a project ends with its account.
  const own = streams.map((stream) => `$JS.API.STREAM.CREATE.${stream}`);
  return { viewer: read, operator: [...read, ...work], owner: [...read, ...work, ...own] }[role];
}

/** What a role may listen to, beside the answers to its own requests. */
export function subscribeAllowed(project: string, role: FleetRole): string[] {
  return ['_INBOX.>', liveSubject(project), ...(role === 'viewer' ? [] : [callSubject(project, '*')])];
}

function streamsOf(project: string): string[] {
  return [journalStream(project), `KV_${claimBucket(project)}`, `KV_${descriptionBucket(project)}`];
}

function readingOf(stream: string): string[] {
  return [`$JS.API.STREAM.INFO.${stream}`, `$JS.API.STREAM.MSG.GET.${stream}`];
}

/**
 * The accounts of a project, as a block of the configuration of nats-server. Viewers have an account of their own, which reaches the project's by
 * its reading requests only: the servers send the answer of a request to whatever subject it names, permissions or not, and within the project's
 * account that could be a journal.
 */
export function accountConfiguration(project: string, users: readonly FleetUser[]): string {
  const account = JSON.stringify(`causeway-${project}`);
  const viewers = JSON.stringify(`causeway-${project}-viewers`);
  const list = (subjects: readonly string[]): string =>
    `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`;
  const usersOf = (given: readonly FleetUser[]): string[] => [
    '    users: [',
    ...given.flatMap(({ name, role, publicKey }) => [
      `      # ${name}: ${role}`,
      `      { nkey: ${publicKey}, permissions: { publish: { allow: ${list(publishAllowed(project, role))} }, subscribe: { allow: ${list(subscribeAllowed(project, role))} }${role === 'viewer' ? '' : ', allow_responses: { max: 1, ttl: "1m" }'} } }`,
    ]),
    '    ]',
  ];
  const reading = publishAllowed(project, 'viewer').map((subject) => JSON.stringify(subject));
  const told = JSON.stringify(liveSubject(project));
  return [
    `# Roles in the fleet of the project ${project}. Made by causeway fleet configure.`,
    'accounts {',
    `  ${account} {`,
    '    jetstream: enabled',
    '    exports: [',
    ...reading.map((subject) => `      { service: ${subject}, accounts: [${viewers}] }`),
    `      { stream: ${told}, accounts: [${viewers}] }`,
    '    ]',
    ...usersOf(users.filter(({ role }) => role !== 'viewer')),
    '  }',
    `  ${viewers} {`,
    '    imports: [',
    ...reading.map((subject) => `      { service: { account: ${account}, subject: ${subject} } }`),
    `      { stream: { account: ${account}, subject: ${told} } }`,
    '    ]',
    ...usersOf(users.filter(({ role }) => role === 'viewer')),
    '  }',
    '}',
    '',
  ].join('\n');
}
