# Installs the drivers that the system was started with, and those of the other devices.
$failed = $false
foreach ($inf in Get-ChildItem "$env:SystemRoot\Drivers\VirtIO\*.inf", "$env:SystemRoot\Drivers\Xen\*\*.inf" -ErrorAction SilentlyContinue) {
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
exit 0
