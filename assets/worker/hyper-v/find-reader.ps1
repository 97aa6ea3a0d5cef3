# Whether there is anything of a reader on the host.
$stop = $null
$isRunning = [Threading.EventWaitHandle]::TryOpenExisting("Global\$($request.name)", [ref]$stop)
if ($isRunning) { $stop.Dispose() }
$rule = Get-NetFirewallRule -Name $request.name -ErrorAction SilentlyContinue
Send-Answer @{ found = ($isRunning -or $null -ne $rule) }
