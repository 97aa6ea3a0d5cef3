# The preparation has Windows stop at a blue screen, which tells why, instead of restarting without end. It has started, and gets its own
# setting back. Runs once.
$key = 'HKLM:\SYSTEM\CurrentControlSet\Control\CrashControl'
$before = (Get-ItemProperty -Path $key -Name CausewayAutoReboot -ErrorAction SilentlyContinue).CausewayAutoReboot
if ($null -ne $before) {
  Set-ItemProperty -Path $key -Name AutoReboot -Value $before -Type DWord
  Remove-ItemProperty -Path $key -Name CausewayAutoReboot
  Write-Output 'Windows restarts again after a blue screen'
}
exit 0
