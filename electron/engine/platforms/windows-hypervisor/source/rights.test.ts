import { expect, test } from 'vitest';
import { rightsFor } from './rights.ts';

const winrm = {
  allowUntrusted: false,
  isPinned: true,
  isKerberos: false,
  management: 'winrm',
  port: 15_986,
  reader: 'port',
  readerPort: 6000,
  rctPort: 7000,
} as const;
const essential = (connection: Parameters<typeof rightsFor>[0]): readonly string[] =>
  rightsFor(connection)
    .filter(({ isEssential }) => isEssential)
    .flatMap(({ privileges }) => privileges);

test('asks for what the endpoint needs as it is set, with its own ports', () => {
  expect(essential(winrm)).toEqual([
    'BUILTIN\\Remote Management Users',
    'TCP 15986 (WinRM over HTTPS) from this computer',
    'BUILTIN\\Hyper-V Administrators',
    'BUILTIN\\Event Log Readers',
    'BUILTIN\\Administrators (SeManageVolumePrivilege)',
    'full language mode of PowerShell',
    'TCP 6000 to 6031 (reader_port) from this computer',
  ]);
  expect(essential({ ...winrm, management: 'ssh', port: 2222, reader: 'stream' })).toEqual([
    'BUILTIN\\Hyper-V Administrators',
    'OpenSSH server of Windows',
    'TCP 2222 from this computer',
    'BUILTIN\\Event Log Readers',
    'BUILTIN\\Administrators (SeManageVolumePrivilege)',
    'full language mode of PowerShell',
  ]);
  expect(essential({ ...winrm, reader: 'none', isKerberos: true })).toEqual([
    'BUILTIN\\Remote Management Users',
    'TCP 15986 (WinRM over HTTPS) from this computer',
    'TCP 88 of a domain controller (kerberos_kdc) from this computer',
    'BUILTIN\\Hyper-V Administrators',
    'BUILTIN\\Event Log Readers',
    'the key of the service (rct_password)',
    'TCP 7000 from this computer',
  ]);
});
