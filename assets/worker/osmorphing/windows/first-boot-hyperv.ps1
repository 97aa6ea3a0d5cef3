# Turns the special administration console on, which answers on the serial port when nothing else does. Runs once.
foreach ($arguments in @('/ems', '{current}', 'on'), @('/emssettings', 'EMSPORT:1', 'EMSBAUDRATE:115200')) {
  $output = & "$env:SystemRoot\System32\bcdedit.exe" $arguments 2>&1
  Write-Output "bcdedit $($arguments -join ' '): $output"
}
exit 0
