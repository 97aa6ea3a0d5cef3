import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { runChecks, type EndpointCheck } from '../../../endpoint-checks/run-checks.ts';
import type { CheckReport } from '../../../ports/platform-common.ts';
import { historySchema, vmsSchema } from '../control/answers.ts';
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

/** PowerShell is started with Bypass, which only a group policy overrules. */
const looseExecutionPolicies = ['Bypass', 'Unrestricted', 'RemoteSigned'];

/** The first build whose disks are tracked: Windows Server 2016. */
const firstBuild = 14_393;

/** Tries what an endpoint is needed for, without changing anything. */
export function checkSource(context: SourceContext, connection: CheckedConnection, signal: AbortSignal): Promise<CheckReport> {
  const { hosts, access } = context;
  const checks: readonly EndpointCheck[] = [
    ...(connection.allowUntrusted && !connection.isPinned ? [{
      name: 'Verify certificates', essential: false,
      run: async () => ({ warning: `the certificate of ${hosts.first.host} is NOT verified: anyone on the network path can read and change the password and all data. Give its fingerprint (certificate_sha256) instead` }),
    }] : []),
    {
      name: 'Sign in and run PowerShell',
      essential: true,
      run: async (within) => {
        const { name, system, powershell } = await hosts.facts(within).catch((error: unknown) => {
          if (!(error instanceof CausewayError) || error.code !== 'source.unreachable') throw error;
          throw new CausewayError(error.code, `${error.message}. ${connection.management === 'ssh' ? `The host needs the OpenSSH server, with TCP ${connection.port} open for this computer` : `The host needs a WinRM listener with HTTPS, and TCP ${connection.port} open for this computer`}`, { cause: error });
        });
        return `${name}, ${system}, PowerShell ${powershell}`;
      },
    },
    {
      name: 'Check policies for scripts',
      essential: false,
      run: async (within) => {
        const { executionPolicy, appLocker } = await hosts.facts(within);
        const warnings = [
          ...(looseExecutionPolicies.includes(executionPolicy) ? [] : [`a group policy sets the execution policy ${executionPolicy}, with which PowerShell may not load its own modules (NetSecurity, FailoverClusters): set the policy "Turn on Script Execution" to allow local scripts and remote signed scripts`]),
          ...(appLocker.includes('Script') ? ['AppLocker restricts scripts: the account needs a rule that allows PowerShell in full language mode'] : []),
        ];
        return warnings.length > 0 ? { warning: warnings.join('. ') } : `full language mode, execution policy ${executionPolicy}, no AppLocker rules for scripts`;
      },
    },
    {
      name: 'Find Hyper-V',
      essential: true,
      run: async (within) => {
        const { hasModule, hasService, build, system } = await hosts.facts(within);
        if (!hasService) throw new CausewayError('source.permission-denied', 'the namespace root\\virtualization\\v2 is not there or not readable: install the Hyper-V role, and add the account to Hyper-V Administrators');
        if (!hasModule) throw new CausewayError('source.unsupported', 'the PowerShell module Hyper-V is not installed: Install-WindowsFeature Hyper-V-PowerShell');
        if (build < firstBuild) throw new CausewayError('source.unsupported', `${system} (build ${build}) does not track changes: Windows Server 2016 or later is needed`);
        return `build ${build}`;
      },
    },
    {
      name: 'Check groups',
      essential: false,
      run: async (within) => {
        const { isAdministrator, isHyperVAdministrator } = await hosts.facts(within);
        if (!isAdministrator && connection.reader !== 'none') return { warning: 'the account is no administrator of the host, which the reader of disks needs: add it to Administrators, or use the RCT service' };
        if (isAdministrator) return 'the account is an administrator of the host';
        return isHyperVAdministrator ? 'the account is in Hyper-V Administrators' : { warning: 'the account is in neither Administrators nor Hyper-V Administrators' };
      },
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
          ...answers.flatMap(({ answer }) => answer.failed).slice(0, 1).map(({ name, problem }) => `VM ${name} cannot be read: ${problem}`),
          ...down.map((node) => `node ${node} of the cluster is down: its VMs are not listed, and executions compare whole disks until it is up again or evicted from the cluster`),
          ...silent.map(({ host, error }) => `node ${host} does not answer, and its VMs are not listed: ${error.message}`),
        ];
        if (warnings.length > 0) return { warning: `${listed}. ${warnings.join('. ')}` };
        if (vms.length === 0) return { warning: 'no VM is visible: the account may lack membership in Hyper-V Administrators' };
        return listed;
      },
    },
    ...(connection.reader !== 'port' ? [] : [{
      name: 'Check the firewall',
      essential: false,
      run: async (within: AbortSignal) => {
        const { firewall } = await hosts.facts(within);
        if (firewall.length === 0) return 'rules of the host apply';
        return { warning: `a group policy ignores rules of the host (${firewall.join(', ')}): have the port of the reader (reader_port) opened by policy, or manage the host by SSH` };
      },
    }]),
    {
      name: 'Read the event log',
      essential: false,
      run: async (within) => {
        const { time } = await hosts.facts(within);
        const { problem } = await hosts.first.ask('read-history', { since: time }, historySchema, within);
        if (problem === '') return 'a loss of power of the host is seen';
        return { warning: `whether the host lost power cannot be read (${problem}): each execution compares whole disks. Add the account to Event Log Readers` };
      },
    },
    {
      name: 'Compare clocks',
      essential: false,
      run: async (within) => {
        const { time } = await hosts.facts(within);
        const offSeconds = Math.round(Math.abs(Date.parse(time) - context.clock.wallTime()) / 1000);
        return offSeconds < 300 ? 'the clocks agree' : { warning: `the clock of the host differs by ${offSeconds} s: Kerberos refuses more than 300 s` };
      },
    },
    { name: 'Read disks', essential: false, run: (within) => access.check(hosts.first, within) },
  ];
  return runChecks(checks, signal);
}
