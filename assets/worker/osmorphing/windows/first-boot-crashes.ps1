# The preparation has Windows stop at a blue screen, which tells why, instead of restarting without end. It has started, and gets its own
# setting back. Runs once.
foreach ($key in @(Get-Item 'HKLM:\SYSTEM\ControlSet*\Control\CrashControl' -ErrorAction SilentlyContinue)) {
  $before = $key.GetValue('CausewayAutoReboot')
  if ($null -eq $before) { continue }
  Set-ItemProperty -Path $key.PSPath -Name AutoReboot -Value $before -Type DWord
  Remove-ItemProperty -Path $key.PSPath -Name CausewayAutoReboot
  Write-Output "Windows restarts again after a blue screen: $($key.Name)"
}
exit 0
