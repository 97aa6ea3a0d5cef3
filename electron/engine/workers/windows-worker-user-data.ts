import { randomBytes } from 'node:crypto';
import { makeCertificate, type Certificate } from '../transport/certificates.ts';
import { pkcs12 } from '../transport/pkcs12.ts';

export const windowsWorkerUser = 'causeway';
export const winrmPort = 5986;

/** A password that any Windows policy takes: long, with all kinds of characters, none that a shell reads otherwise. */
export function createWindowsPassword(): string {
  return `Cw1-${randomBytes(24).toString('base64url')}`;
}

/** The name in the certificate. WinRM compares it with the listener's, not with the computer's. */
const hostName = 'causeway-worker';

/** A certificate that Windows takes for a listener. */
export function createWindowsCertificate(): Promise<Certificate> {
  return makeCertificate(hostName, undefined, 'server');
}

/**
 * User data of a Windows worker: an administrator for this worker alone, and WinRM over HTTPS with the certificate made
 * here, so that the first connection can already be sure of the worker. About 4 KB; clouds take 16 KB of base64 or more.
 */
export function windowsWorkerUserData(password: string, certificate: Certificate): string {
  const filePassword = randomBytes(18).toString('base64url');
  return [
    '#ps1_sysnative',
    "$ErrorActionPreference = 'Stop'",
    `$password = ConvertTo-SecureString '${password}' -AsPlainText -Force`,
    `New-LocalUser -Name '${windowsWorkerUser}' -Password $password -PasswordNeverExpires | Out-Null`,
    // By its SID: the group's name depends on the language of the system.
    `Add-LocalGroupMember -SID 'S-1-5-32-544' -Member '${windowsWorkerUser}'`,
    "$file = Join-Path $env:SystemRoot 'Temp\\causeway-worker.pfx'",
    `[IO.File]::WriteAllBytes($file, [Convert]::FromBase64String('${pkcs12(certificate, filePassword).toString('base64')}'))`,
    'try {',
    `  $filePassword = ConvertTo-SecureString '${filePassword}' -AsPlainText -Force`,
    '  $certificate = Import-PfxCertificate -FilePath $file -CertStoreLocation Cert:\\LocalMachine\\My -Password $filePassword',
    '} finally { Remove-Item -LiteralPath $file -Force }',
    'Enable-PSRemoting -Force -SkipNetworkProfileCheck',
    "Get-ChildItem WSMan:\\localhost\\Listener | Where-Object { $_.Keys -contains 'Transport=HTTPS' } | Remove-Item -Recurse -Force",
    `New-Item WSMan:\\localhost\\Listener -Transport HTTPS -Address * -HostName '${hostName}' -CertificateThumbPrint $certificate.Thumbprint -Force | Out-Null`,
    'Set-Item WSMan:\\localhost\\Service\\Auth\\Basic $true',
    'Set-Item WSMan:\\localhost\\Service\\AllowUnencrypted $false',
    `New-NetFirewallRule -DisplayName 'WinRM over HTTPS' -Direction Inbound -Protocol TCP -LocalPort ${winrmPort} -Action Allow | Out-Null`,
    '',
  ].join('\r\n');
}
