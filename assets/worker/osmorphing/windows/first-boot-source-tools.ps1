# Uninstalls the guest tools of the source's hypervisor. Runs once. What can't be uninstalled stays, with its services off.
$names = '^(VMware Tools|Citrix (VM|Hypervisor) Tools|XenServer (VM )?Tools|XenServer VM Management Agent|Parallels Tools|Nutanix Guest Tools|Oracle VM VirtualBox Guest Additions)'
# Those of the destination's own hypervisor, which stay.
$staying = '{{staying}}'
$keys = 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall\*', 'HKLM:\SOFTWARE\Wow6432Node\Microsoft\Windows\CurrentVersion\Uninstall\*'
foreach ($product in @(Get-ItemProperty $keys -ErrorAction SilentlyContinue | Where-Object { $_.DisplayName -match $names -and -not ($staying -and $_.DisplayName -match $staying) })) {
  if ($product.PSChildName -match '^\{[0-9A-Fa-f-]{36}\}$') {
    $program = "$env:SystemRoot\System32\msiexec.exe"
    $arguments = "/x $($product.PSChildName) /qn /norestart REBOOT=ReallySuppress"
  } elseif ($product.DisplayName -match 'VirtualBox' -and $product.UninstallString) {
    $program = $product.UninstallString.Trim('"')
    $arguments = '/S'
  } else { continue }
  try {
    $process = Start-Process -FilePath $program -ArgumentList $arguments -PassThru -WindowStyle Hidden
    # Some installers ask their hypervisor, which is gone, and wait for an answer.
    if ($process.WaitForExit(600000)) { Write-Output "$($product.DisplayName): uninstalled with exit code $($process.ExitCode)" }
    else {
      $process.Kill()
      Write-Output "$($product.DisplayName): the uninstaller did not end within 10 minutes"
    }
  } catch { Write-Output "$($product.DisplayName): $($_.Exception.Message)" }
}
exit 0
