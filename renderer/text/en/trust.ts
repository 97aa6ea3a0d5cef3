import { counted } from './counted.ts';

export const trust = {
  title: 'Trust',
  lead: 'What this project reaches from this computer. Until you accept it, no endpoint is contacted, no program is started and no secret is used.',
  bannerProject: 'You do not trust this project yet. Nothing is contacted until you do.',
  bannerChanges: (count: number) =>
    counted(count, {
      one: 'The project files changed # connection or environment. It is not used until you accept it.',
      other: 'The project files changed # connections or environments. They are not used until you accept them.',
    }),
  review: 'Review',
  trusted: 'You trust this project on this computer.',
  notTrusted: 'You do not trust this project on this computer yet.',
  acceptProject: 'Trust this project…',
  acceptChanges: (count: number) => counted(count, { one: 'Accept # change…', other: 'Accept # changes…' }),
  confirmTitle: 'Trust this project?',
  confirmLead:
    'From now on this computer contacts these addresses, starts these programs and sends the named secrets there:',
  confirmNothing: 'The project has no endpoints yet. When endpoints are added, you are asked again.',
  confirmNone: 'None of the changes can be accepted. Open the endpoints and correct them.',
  confirm: 'Trust',
  confirmChangesTitle: 'Accept these changes?',
  confirmChanges: 'Accept',
  revoke: 'Stop trusting',
  revokeTitle: 'Stop trusting this project?',
  revokeLead: 'The project reaches nothing until you accept it again. Its secrets stay in the vault.',
  accepted: 'Accepted',
  revoked: 'This project is no longer trusted',
  kept: 'The accepted connection was written back to the file',
  keep: 'Keep mine',
  keepOf: (name: string) => `Keep the accepted connection of ${name}`,
  endpoints: 'Endpoints',
  noEndpoints: 'The project has no endpoints.',
  environments: 'Environments',
  environmentsLead:
    'Addresses, sockets and secrets that the environments of replicas use in addition to their endpoints.',
  usedBy: (replicas: readonly string[]) =>
    `Used by ${replicas.slice(0, 3).join(', ')}${replicas.length > 3 ? ` and ${replicas.length - 3} more` : ''}`,
  states: { accepted: 'Trusted', new: 'Not trusted', changed: 'Changed', missing: 'No connection', locked: 'Locked' },
  missingLead: 'The project files name this endpoint without its addresses. Open it and enter its connection.',
  lockedLead: 'Unlock the vault to see its connection.',
  cannotAccept: 'This connection can’t be accepted:',
  openEndpoint: 'Open endpoint',
  /** What is no field of a form, by its English words. */
  usedFor: {
    Starts: 'Starts',
    'Check by SSH': 'Check by SSH',
    'Check by WinRM': 'Check by WinRM',
    'Disk key': 'Disk key',
  },
  field: 'Field',
  was: 'Accepted',
  becomes: 'Proposed by the file',
  none: '(none)',
  secret: (name: string) => `Secret “${name}”`,
  sharing: 'Share endpoint addresses in project files',
  sharingHelp:
    'On: other people who get the folder see addresses and user names, and accept them on their computer. Off: they stay on this computer. Secrets are never written into the files.',
  sharingOn: 'Addresses are now in the project files',
  sharingOff: 'Addresses were removed from the project files',
} as const;

export const takeOver = {
  banner: (owner: string) =>
    `This project’s data belongs to ${owner}. You can read it here, but executions, deployments and deletions run only there.`,
  open: 'Take over…',
  title: 'Take over this project?',
  before: (owner: string) =>
    `First make sure that nothing is running on ${owner}: two computers that work on the same volumes damage the replicas.`,
  consequences: (owner: string): readonly string[] => [
    'From now on, executions, deployments and deletions run on this computer.',
    `${owner} can no longer run them with this data. A copy of the data that stays there is refused by the volumes.`,
    'The next execution of each replica compares whole disks, because the volumes may have changed. Only differences are sent.',
    'Interrupted executions can be resumed or cancelled here. All resources on record stay in this ledger.',
    'Secrets are not part of the project data: enter them here if the vault was not copied.',
  ],
  confirm: 'Take over',
  done: 'This project’s data now belongs to this computer',
} as const;
