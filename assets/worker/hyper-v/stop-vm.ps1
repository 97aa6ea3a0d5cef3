# Asks the guest to shut down by its integration services. Off is done.
$vm = Get-VM -Id $request.vmId -ErrorAction SilentlyContinue
if ($null -eq $vm) { Exit-With 'source.vm-not-found' "$env:COMPUTERNAME has no VM $($request.vmId)" }
if ("$($vm.State)" -eq 'Running' -and $request.ask) {
  $component = Get-CimInstance -Namespace $namespace -Query "SELECT * FROM Msvm_ShutdownComponent WHERE SystemName='$($vm.Id)'"
  if ($null -eq $component) { Exit-With 'source.shutdown-refused' 'the integration services of the guest do not run' }
  $result = Invoke-CimMethod -InputObject $component -MethodName InitiateShutdown -Arguments @{ Force = $true; Reason = 'Causeway' }
  if ($result.ReturnValue -notin 0, 4096) { Exit-With 'source.shutdown-refused' "the guest refused to shut down: $($result.ReturnValue)" }
}
Send-Answer @{ state = "$((Get-VM -Id $request.vmId).State)".ToLowerInvariant() }
