import type { FeaturePolicy } from '../../../ports/platform-common.ts';
import type { CheckedConnection } from './check.ts';

/** How many ports readers on one host try. */
const readerPorts = 32;

/** What an account has to be allowed for an endpoint as it is set: groups of the host, rights of its local security policy, and what the network must let through. */
export function rightsFor({
  management,
  port,
  reader,
  readerPort,
  rctPort,
  isKerberos,
}: CheckedConnection): readonly FeaturePolicy[] {
  const isSsh = management === 'ssh';
  const here = 'from this computer';
  const listening =
    readerPort === 0
      ? `any TCP port ${here}`
      : `TCP ${readerPort} to ${readerPort + readerPorts - 1} (reader_port) ${here}`;
  return [
    {
      feature: 'Sign in by WinRM',
      privileges: ['BUILTIN\\Remote Management Users', `TCP ${isSsh ? 5986 : port} (WinRM over HTTPS) ${here}`],
      isEssential: !isSsh,
    },
    {
      feature: 'Sign in by Kerberos',
      privileges: [`TCP 88 of a domain controller (kerberos_kdc) ${here}`],
      isEssential: isKerberos && !isSsh,
    },
    {
      feature: 'List VMs, take and remove checkpoints, read what changed',
      privileges: ['BUILTIN\\Hyper-V Administrators'],
      isEssential: true,
    },
    {
      feature: 'Manage by SSH instead of WinRM',
      privileges: ['OpenSSH server of Windows', `TCP ${isSsh ? port : 22} ${here}`],
      isEssential: isSsh,
    },
    { feature: 'Detect a loss of power of the host', privileges: ['BUILTIN\\Event Log Readers'], isEssential: true },
    {
      feature: 'Read disks by Causeway’s reader',
      privileges: [
        'BUILTIN\\Administrators (SeManageVolumePrivilege)',
        'full language mode of PowerShell',
        ...(isSsh ? [] : [listening]),
      ],
      isEssential: reader !== 'none',
    },
    {
      feature: 'Read disks by the RCT service',
      privileges: ['the key of the service (rct_password)', `TCP ${rctPort} ${here}`],
      isEssential: reader === 'none',
    },
    {
      feature: 'List the nodes of a cluster',
      privileges: ['read access to the cluster (Grant-ClusterAccess -ReadOnly)', `TCP ${port} of every node ${here}`],
      isEssential: false,
    },
  ];
}
