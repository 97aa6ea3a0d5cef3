import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { runChecks, type EndpointCheck } from '../../../endpoint-checks/run-checks.ts';
import type { CheckReport } from '../../../ports/platform-common.ts';
import { historySchema, hostSchema, vmsSchema, type HostFacts } from '../control/answers.ts';
import { clockFindings, firewallFindings, groupFindings, hypervObstacle, policyFindings } from './host-findings.ts';
import type { SourceContext } from './source-context.ts';
import { shortcomings } from './vm-facts.ts';

export interface CheckedConnection {
  readonly allowUntrusted: boolean;
  readonly isPinned: boolean;
  readonly management: 'winrm' | 'ssh';
  /** Of what manages the hosts. */
  readonly port: number;
  readonly isKerberos: boolean;
  /** Whether the reader is used, and whether it listens on a port. */
  readonly reader: 'none' | 'port' | 'stream';
  readonly readerPort: number;
  readonly rctPort: number;
}

/** Tries what an endpoint is needed for, on each node of a cluster, without changing anything. */
export function checkSource(
  context: SourceContext,
  connection: CheckedConnection,
  signal: AbortSignal,
): Promise<CheckReport> {
  const { hosts, access } = context;
  let asked: ReturnType<typeof askNodes> | undefined;
  const askNodes = async (within: AbortSignal) => (await hosts.askAll('read-host', {}, hostSchema, within)).answers;
  /** Those that answer; the endpoint's own host comes first. */
  const nodes = (within: AbortSignal): ReturnType<typeof askNodes> => {
    // A question that failed is asked again: one check that ran out of time says nothing of the next one.
    asked ??= askNodes(within).catch((error: unknown) => {
      asked = undefined;
      throw error;
    });
    return asked;
  };
  /** Each finding once, with the nodes that it is about where there are several. */
  const findings = async (
    within: AbortSignal,
    find: (facts: HostFacts) => readonly string[],
    well: string,
  ): Promise<string | { readonly warning: string }> => {
    const all = await nodes(within);
    return told(
      all.flatMap(({ answer }) => find(answer).map((text) => ({ node: answer.name, text }))),
      all.length,
      well,
    );
  };
  const checks: readonly EndpointCheck[] = [
    ...(connection.allowUntrusted && !connection.isPinned
      ? [
          {
            name: 'Verify certificates',
            essential: false,
            run: async () => ({
              warning: `the certificate of ${hosts.first.host} is NOT verified: anyone on the network path can read and change the password and all data. Give its fingerprint (certificate_sha256) instead`,
            }),
          },
        ]
      : []),
    {
      name: 'Sign in and run PowerShell',
      essential: true,
      run: async (within) => {
        const { name, system, powershell } = await hosts.facts(within).catch((error: unknown) => {
          if (!(error instanceof CausewayError) || error.code !== 'source.unreachable') throw error;
          throw new CausewayError(
            error.code,
            `${error.message}. ${connection.management === 'ssh' ? `The host needs the OpenSSH server, with TCP ${connection.port} open for this computer` : `The host needs a WinRM listener with HTTPS, and TCP ${connection.port} open for this computer`}`,
            { cause: error },
          );
        });
        return `${name}, ${system}, PowerShell ${powershell}`;
      },
    },
    {
      name: 'Check policies for scripts',
      essential: false,
      run: async (within) =>
        findings(
          within,
          policyFindings,
          `full language mode, execution policy ${(await hosts.facts(within)).executionPolicy}, no AppLocker rules for scripts`,
        ),
    },
    {
      name: 'Find Hyper-V',
      essential: true,
      run: async (within) => {
        const first = await hosts.facts(within);
        const obstacle = hypervObstacle(first);
        if (obstacle !== undefined) throw obstacle;
        const ofNode = (facts: HostFacts): readonly string[] => {
          const reason = hypervObstacle(facts);
          return reason === undefined ? [] : [reason.message];
        };
        return findings(within, ofNode, `build ${first.build}`);
      },
    },
    {
      name: 'Check groups',
      essential: false,
      run: async (within) =>
        findings(
          within,
          (facts) => groupFindings(facts, connection.reader !== 'none'),
          (await hosts.facts(within)).isAdministrator
            ? 'the account is an administrator of the host'
            : 'the account is in Hyper-V Administrators',
        ),
    },
    {
      name: 'List VMs',
      essential: false,
      run: async (within) => {
        const { answers, silent } = await hosts.askAll('read-vms', { ids: null }, vmsSchema, within);
        const down = await hosts.down(within);
        const vms = answers.flatMap(({ answer }) => answer.vms);
        const limited = vms.filter((vm) => shortcomings(vm).length > 0).length;
        const listed = `${vms.length === 1 ? '1 VM' : `${vms.length} VMs`} on ${answers.length === 1 ? '1 host' : `${answers.length} hosts`}${limited === 0 ? '' : `; ${limited} with something that is not replicated`}`;
        const warnings = [
          ...answers
            .flatMap(({ answer }) => answer.failed)
            .slice(0, 1)
            .map(({ name, problem }) => `VM ${name} cannot be read: ${problem}`),
          ...down.map(
            (node) =>
              `node ${node} of the cluster is down: its VMs are not listed, and executions compare whole disks until it is up again or evicted from the cluster`,
          ),
          ...silent.map(
            ({ host, error }) => `node ${host} cannot be managed, and its VMs are not listed: ${error.message}`,
          ),
        ];
        if (warnings.length > 0) return { warning: `${listed}. ${warnings.join('. ')}` };
        if (vms.length === 0)
          return { warning: 'no VM is visible: the account may lack membership in Hyper-V Administrators' };
        return listed;
      },
    },
    ...(connection.reader !== 'port'
      ? []
      : [
          {
            name: 'Check the firewall',
            essential: false,
            run: (within: AbortSignal) => findings(within, firewallFindings, 'rules of the host apply'),
          },
        ]),
    {
      name: 'Read the event log',
      essential: false,
      run: async (within) => {
        const { time } = await hosts.facts(within);
        const { answers } = await hosts.askAll('read-history', { since: time }, historySchema, within);
        const unread = answers
          .filter(({ answer }) => answer.problem !== '')
          .map(({ answer: { host, problem } }) => ({
            node: host,
            text: `whether the host lost power cannot be read (${problem}): each execution compares whole disks. Add the account to Event Log Readers`,
          }));
        return told(unread, answers.length, 'a loss of power of the host is seen');
      },
    },
    {
      name: 'Compare clocks',
      essential: false,
      run: (within) => findings(within, (facts) => clockFindings(facts, context.clock.wallTime()), 'the clocks agree'),
    },
    {
      name: 'Read disks',
      essential: false,
      run: async (within) => {
        const seen: string[] = [];
        const warnings: string[] = [];
        // One node after the other: each has a program of its own to start, and an error names its host.
        for (const { link } of await nodes(within)) {
          const outcome = await access.check(link, within);
          if (typeof outcome === 'string') seen.push(outcome);
          else warnings.push(outcome.warning);
        }
        return warnings.length > 0 ? { warning: warnings.join('. ') } : seen.join('; ');
      },
    },
  ];
  return runChecks(checks, signal);
}

function told(
  findings: readonly { readonly node: string; readonly text: string }[],
  nodes: number,
  well: string,
): string | { readonly warning: string } {
  if (findings.length === 0) return well;
  const byText = Map.groupBy(findings, ({ text }) => text);
  return {
    warning: [...byText]
      .map(([text, of]) => (nodes === 1 ? text : `${of.map(({ node }) => node).join(', ')}: ${text}`))
      .join('. '),
  };
}
