# Installs the drivers that the system was started with, and those of the other devices.
foreach ($inf in Get-ChildItem "$env:SystemRoot\Drivers\VirtIO\*.inf", "$env:SystemRoot\Drivers\Xen\*\*.inf" -ErrorAction SilentlyContinue) {
  & "$env:SystemRoot\System32\pnputil.exe" -i -a $inf.FullName | Out-String | Write-Output
}
exit 0
