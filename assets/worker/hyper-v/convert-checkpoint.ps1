# Converts a checkpoint to a reference point. If an earlier call may have done so, the point is the only one that was not known before; else a checkpoint that is gone was
# removed by somebody, and a new point is another program's: its moment is not the checkpoint's.
Enter-VirtualSystem $request.vmId
$vm = Get-VirtualSystem $request.vmId
$checkpoint = Get-RecoveryCheckpoint $vm | Where-Object { $_.InstanceID -eq $request.checkpointId } | Select-Object -First 1
$known = @($request.known)
if ($null -ne $checkpoint) {
  $known = @(Get-ReferencePoint $vm | ForEach-Object { $_.InstanceID })
  $service = Get-CimInstance -Namespace $namespace -ClassName Msvm_VirtualSystemSnapshotService
  $result = Invoke-CimMethod -InputObject $service -MethodName ConvertToReferencePoint -Arguments @{ AffectedSnapshot = $checkpoint }
  Complete-Call -Result $result -Code 'source.snapshot-failed' -What 'the conversion to a reference point'
}
$points = @()
if ($null -ne $checkpoint -or $request.mayBeDone -or $request.attempt -gt 1) { $points = @(Get-ReferencePoint $vm | Where-Object { $known -notcontains $_.InstanceID }) }
# Of two that are new, nobody knows which one is ours.
$answer = @{ referencePoint = $null }
if ($points.Count -eq 1) { $answer.referencePoint = ConvertTo-ReferencePointFact $points[0] }
Send-Answer $answer
