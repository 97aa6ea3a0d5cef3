import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { HostFacts } from '../control/answers.ts';

/** PowerShell is started with Bypass, which only a group policy overrules. */
const looseExecutionPolicies = ['Bypass', 'Unrestricted', 'RemoteSigned'];
/** The first build whose disks are tracked: Windows Server 2016. */
const firstBuild = 14_393;
/** What Kerberos takes. */
const mostSecondsApart = 300;

/** What of a host's policies keeps scripts from their work, with what to do about it. */
export function policyFindings({ executionPolicy, appLocker }: HostFacts): readonly string[] {
  return [
    ...(looseExecutionPolicies.includes(executionPolicy)
      ? []
      : [
          `a group policy sets the execution policy ${executionPolicy}, with which PowerShell may not load its own modules (NetSecurity, FailoverClusters): set the policy "Turn on Script Execution" to allow local scripts and remote signed scripts`,
        ]),
    ...(appLocker.includes('Script')
      ? ['AppLocker restricts scripts: the account needs a rule that allows PowerShell in full language mode']
      : []),
  ];
}

/** Why VMs of a host cannot be replicated at all; undefined where they can. */
export function hypervObstacle({ hasModule, hasService, build, system }: HostFacts): CausewayError | undefined {
  if (!hasService)
    return new CausewayError(
      'source.permission-denied',
      'the namespace root\\virtualization\\v2 is not there or not readable: install the Hyper-V role, and add the account to Hyper-V Administrators',
    );
  if (!hasModule)
    return new CausewayError(
      'source.unsupported',
      'the PowerShell module Hyper-V is not installed: Install-WindowsFeature Hyper-V-PowerShell',
    );
  if (build < firstBuild)
    return new CausewayError(
      'source.unsupported',
      `${system} (build ${build}) does not track changes: Windows Server 2016 or later is needed`,
    );
  return undefined;
}

/** @param needsAdministrator as the reader of disks does */
export function groupFindings(
  { isAdministrator, isHyperVAdministrator }: HostFacts,
  needsAdministrator: boolean,
): readonly string[] {
  if (isAdministrator) return [];
  if (needsAdministrator)
    return [
      'the account is no administrator of the host, which the reader of disks needs: add it to Administrators, or use the RCT service',
    ];
  return isHyperVAdministrator ? [] : ['the account is in neither Administrators nor Hyper-V Administrators'];
}

export function firewallFindings({ firewall }: HostFacts): readonly string[] {
  return firewall.length === 0
    ? []
    : [
        `a group policy ignores rules of the host (${firewall.join(', ')}): have the port of the reader (reader_port) opened by policy, or manage the host by SSH`,
      ];
}

export function clockFindings({ time }: HostFacts, now: number): readonly string[] {
  const offSeconds = Math.round(Math.abs(Date.parse(time) - now) / 1000);
  return offSeconds < mostSecondsApart
    ? []
    : [`the clock of the host differs by ${offSeconds} s: Kerberos refuses more than ${mostSecondsApart} s`];
}
