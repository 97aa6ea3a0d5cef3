# Destroys a reference point. Gone is done.
Enter-VirtualSystem $request.vmId
$vm = Get-VirtualSystem $request.vmId
$point = Get-ReferencePoint $vm | Where-Object { $_.InstanceID -eq $request.referencePointId } | Select-Object -First 1
if ($null -ne $point) {
  $service = Get-CimInstance -Namespace $namespace -ClassName Msvm_VirtualSystemReferencePointService
  Complete-Call -Result (Invoke-CimMethod -InputObject $service -MethodName DestroyReferencePoint -Arguments @{ AffectedReferencePoint = $point }) -Code 'source.request-refused' -What 'destroying the reference point'
}
Send-Answer @{ removed = $true }
