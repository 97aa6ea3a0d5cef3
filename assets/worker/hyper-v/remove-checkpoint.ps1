# Removes a checkpoint; its files are merged in the background. Gone is done.
Enter-VirtualSystem $request.vmId
$vm = Get-VirtualSystem $request.vmId
$checkpoint = Get-RecoveryCheckpoint $vm | Where-Object { $_.InstanceID -eq $request.checkpointId } | Select-Object -First 1
if ($null -ne $checkpoint) {
  $service = Get-CimInstance -Namespace $namespace -ClassName Msvm_VirtualSystemSnapshotService
  Complete-Call -Result (Invoke-CimMethod -InputObject $service -MethodName DestroySnapshot -Arguments @{ AffectedSnapshot = $checkpoint }) -Code 'source.request-refused' -What 'removing the checkpoint'
}
Send-Answer @{ removed = $true }
