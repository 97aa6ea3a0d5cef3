import { descriptionBucket } from './description-exchange.ts';
import { claimBucket } from './nats-claims.ts';
import { journalStream } from './nats-journal.ts';

/** What a member of a fleet may do, held by the NATS servers and not by the member itself. */
export const fleetRoles = ['viewer', 'operator', 'owner'] as const;
export type FleetRole = (typeof fleetRoles)[number];

export interface FleetUser {
  readonly name: string;
  readonly role: FleetRole;
  /** Public NKey; whoever has the seed is this user. */
  readonly publicKey: string;
}

/** Subjects that a role may publish to. All answers come to inboxes. */
export function publishAllowed(project: string, role: FleetRole): string[] {
  const streams = [journalStream(project), `KV_${claimBucket(project)}`, `KV_${descriptionBucket(project)}`];
  const read = ['$JS.API.INFO', ...streams.flatMap((stream) => [`$JS.API.STREAM.INFO.${stream}`, `$JS.API.STREAM.MSG.GET.${stream}`, `$JS.API.DIRECT.GET.${stream}`, `$JS.API.DIRECT.GET.${stream}.>`, `$JS.API.CONSUMER.CREATE.${stream}.>`, `$JS.API.CONSUMER.INFO.${stream}.>`, `$JS.API.CONSUMER.DELETE.${stream}.>`, `$JS.FC.${stream}.>`])];
  const work = [`causeway.${project}.journal.*`, `$KV.${claimBucket(project)}.>`, `$KV.${descriptionBucket(project)}.>`];
  // Nobody may delete, purge or change a stream: the history of a project ends with its account.
  const own = streams.flatMap((stream) => [`$JS.API.STREAM.CREATE.${stream}`]);
  return { viewer: read, operator: [...read, ...work], owner: [...read, ...work, ...own] }[role];
}

/** An account for a project, as a block of the configuration of nats-server. */
export function accountConfiguration(project: string, users: readonly FleetUser[]): string {
  const list = (subjects: readonly string[]): string => `[${subjects.map((subject) => JSON.stringify(subject)).join(', ')}]`;
  return [
    `# Roles in the fleet of the project ${project}. Made by causeway fleet configure.`,
    'accounts {',
    `  ${JSON.stringify(`causeway-${project}`)} {`,
    '    jetstream: enabled',
    '    users: [',
    ...users.flatMap(({ name, role, publicKey }) => [
      `      # ${name}: ${role}`,
      `      { nkey: ${publicKey}, permissions: { publish: { allow: ${list(publishAllowed(project, role))} }, subscribe: { allow: ["_INBOX.>"] } } }`,
    ]),
    '    ]',
    '  }',
    '}',
    '',
  ].join('\n');
}
