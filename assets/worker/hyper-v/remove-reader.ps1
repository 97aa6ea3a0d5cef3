# Ends a reader that a process of Causeway has left, and removes the rule of the firewall that it could not remove itself. Gone is done.
$stop = $null
if ([Threading.EventWaitHandle]::TryOpenExisting("Global\$($request.name)", [ref]$stop)) {
  [void]$stop.Set()
  $stop.Dispose()
}
foreach ($attempt in 1..20) {
  $rule = Get-NetFirewallRule -Name $request.name -ErrorAction SilentlyContinue
  if ($null -eq $rule) { break }
  if ($attempt -eq 20) { Remove-NetFirewallRule -Name $request.name }
  Start-Sleep -Milliseconds 500
}
Send-Answer @{ removed = $true }
