# Converts a checkpoint to a reference point. If an earlier call has done so, the point is the one that was not known before.
Enter-VirtualSystem $request.vmId
$vm = Get-VirtualSystem $request.vmId
$checkpoint = Get-RecoveryCheckpoint $vm | Where-Object { $_.InstanceID -eq $request.checkpointId } | Select-Object -First 1
if ($null -ne $checkpoint) {
  $service = Get-CimInstance -Namespace $namespace -ClassName Msvm_VirtualSystemSnapshotService
  $result = Invoke-CimMethod -InputObject $service -MethodName ConvertToReferencePoint -Arguments @{ AffectedSnapshot = $checkpoint }
  Complete-Call $result 'source.snapshot-failed' 'the conversion to a reference point'
}
$points = @(Get-ReferencePoint $vm | Where-Object { @($request.known) -notcontains $_.InstanceID })
# Of two that are new, nobody knows which one is ours.
$answer = @{ referencePoint = $null }
if ($points.Count -eq 1) { $answer.referencePoint = ConvertTo-ReferencePointFact $points[0] }
Send-Answer $answer
