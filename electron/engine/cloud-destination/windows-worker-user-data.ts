import { randomBytes } from 'node:crypto';

export const windowsWorkerUser = 'causeway';
export const winrmPort = 5986;

/** A password that any Windows policy takes: long, with all kinds of characters, none that a shell reads otherwise. */
export function createWindowsPassword(): string {
  return `Cw1-${randomBytes(24).toString('base64url')}`;
}

/** User data of a Windows worker: an administrator for this worker alone, and WinRM over HTTPS with a certificate of its own. */
export function windowsWorkerUserData(password: string): string {
  return [
    '#ps1_sysnative',
    "$ErrorActionPreference = 'Stop'",
    `$password = ConvertTo-SecureString '${password}' -AsPlainText -Force`,
    `New-LocalUser -Name '${windowsWorkerUser}' -Password $password -PasswordNeverExpires | Out-Null`,
    // By its SID: the group's name depends on the language of the system.
    `Add-LocalGroupMember -SID 'S-1-5-32-544' -Member '${windowsWorkerUser}'`,
    '$certificate = New-SelfSignedCertificate -DnsName $env:COMPUTERNAME -CertStoreLocation Cert:\\LocalMachine\\My',
    'Enable-PSRemoting -Force -SkipNetworkProfileCheck',
    "Get-ChildItem WSMan:\\localhost\\Listener | Where-Object { $_.Keys -contains 'Transport=HTTPS' } | Remove-Item -Recurse -Force",
    'New-Item WSMan:\\localhost\\Listener -Transport HTTPS -Address * -CertificateThumbPrint $certificate.Thumbprint -Force | Out-Null',
    'Set-Item WSMan:\\localhost\\Service\\Auth\\Basic $true',
    'Set-Item WSMan:\\localhost\\Service\\AllowUnencrypted $false',
    `New-NetFirewallRule -DisplayName 'WinRM over HTTPS' -Direction Inbound -Protocol TCP -LocalPort ${winrmPort} -Action Allow | Out-Null`,
    '',
  ].join('\r\n');
}
