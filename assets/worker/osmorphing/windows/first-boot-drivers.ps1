# Installs the drivers that the system was started with, and those of the other devices.
$failed = $false
foreach ($inf in @(Get-ChildItem "$env:SystemRoot\Drivers\VirtIO\*.inf", "$env:SystemRoot\Drivers\Xen\*\*.inf" -ErrorAction SilentlyContinue)) {
  & "$env:SystemRoot\System32\pnputil.exe" -i -a $inf.FullName | Out-String | Write-Output
  # 259: no device needs it, or it has a better one. 3010: a restart completes it.
  if (0, 259, 3010 -notcontains $LASTEXITCODE) { $failed = $true }
}
# The entries by which the system found its disk at the first start belong to no package, and its tools stumble over them. They go
# once every device has a driver that was installed.
$used = @(Get-ChildItem 'HKLM:\SYSTEM\CurrentControlSet\Control\Class\*' -ErrorAction SilentlyContinue | Where-Object { $_.GetValue('InfPath') -like 'causeway_*.inf' })
if (-not $failed -and $used.Count -eq 0) {
  $database = 'HKLM:\SYSTEM\DriverDatabase'
  $packages = @(Get-ChildItem "$database\DriverInfFiles" -ErrorAction SilentlyContinue | Where-Object { $_.PSChildName -like 'causeway_*.inf' })
  foreach ($package in $packages) {
    $name = $package.PSChildName
    foreach ($id in @(Get-ChildItem "$database\DeviceIds\PCI" -ErrorAction SilentlyContinue | Where-Object { $_.GetValueNames() -contains $name })) {
      Remove-ItemProperty -Path $id.PSPath -Name $name
    }
    Remove-Item "$database\DriverPackages\${name}_boot" -Recurse -ErrorAction SilentlyContinue
    Remove-Item $package.PSPath -Recurse
    Write-Output "the entries of $name in the driver database are gone"
  }
}
# What talks to the hypervisor: without the one, its snapshots are not consistent, without the other it does not know how much memory is free.
$agent = Get-ChildItem "$env:SystemRoot\Drivers\VirtIO\qemu-ga-*.msi" -ErrorAction SilentlyContinue | Select-Object -First 1
if ($agent -and -not (Get-Service 'QEMU-GA' -ErrorAction SilentlyContinue)) {
  $process = Start-Process -FilePath "$env:SystemRoot\System32\msiexec.exe" -ArgumentList "/i `"$($agent.FullName)`" /qn /norestart" -PassThru -WindowStyle Hidden
  if ($process.WaitForExit(600000)) { Write-Output "$($agent.Name): installed with exit code $($process.ExitCode)" } else { $process.Kill() }
}
$balloon = "$env:SystemRoot\Drivers\VirtIO\blnsvr.exe"
if ((Test-Path $balloon) -and -not (Get-Service 'BalloonService' -ErrorAction SilentlyContinue)) { & $balloon -i | Out-String | Write-Output }
exit 0
