import type { FeaturePolicy } from '../../../ports/platform-common.ts';

/** What an account has to be allowed: groups of the host, rights of its local security policy, and what the network must let through. */
export const rights: readonly FeaturePolicy[] = [
  { feature: 'Sign in by WinRM', privileges: ['BUILTIN\\Remote Management Users', 'TCP 5986 (WinRM over HTTPS) from this computer'], isEssential: true },
  { feature: 'List VMs, take and remove checkpoints, read what changed', privileges: ['BUILTIN\\Hyper-V Administrators'], isEssential: true },
  { feature: 'Manage by SSH instead of WinRM', privileges: ['OpenSSH server of Windows', 'TCP 22 from this computer'], isEssential: false },
  { feature: 'Read disks by Causeway’s reader', privileges: ['BUILTIN\\Administrators (SeManageVolumePrivilege)', 'full language mode of PowerShell', 'TCP 5567 to 5598 (reader_port) from this computer, unless managed by SSH'], isEssential: false },
  { feature: 'Read disks by the RCT service', privileges: ['the key of the service (rct_password)', 'TCP 6677 from this computer'], isEssential: false },
  { feature: 'Detect a loss of power of the host', privileges: ['BUILTIN\\Event Log Readers'], isEssential: true },
  { feature: 'List the nodes of a cluster', privileges: ['read access to the cluster (Grant-ClusterAccess -ReadOnly)', 'TCP 5986 of every node from this computer'], isEssential: false },
];
