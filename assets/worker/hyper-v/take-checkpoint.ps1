# Takes a recovery checkpoint and names it. One that an earlier call has taken is used: by its name, by the ID that the caller has found it by, or, if this request is
# repeated, as the only one that was not there before. Other programs take recovery checkpoints as well.
Enter-VirtualSystem $request.vmId
$vm = Get-VirtualSystem $request.vmId
$deadline = (Get-Date).AddMinutes(10)
while (@($vm.OperationalStatus)[1] -in 32768, 32770, 32772, 32773, 32774) {
  if ((Get-Date) -gt $deadline) { Exit-With 'source.vm-busy' "the VM is busy: status $(@($vm.OperationalStatus)[1])" }
  Start-Sleep -Milliseconds 500
  $vm = Get-VirtualSystem $request.vmId
}
$checkpoint = Get-RecoveryCheckpoint $vm | Where-Object { $_.ElementName -eq $request.name } | Select-Object -First 1
if ($null -eq $checkpoint -and ($request.claim -or $request.attempt -gt 1)) {
  $new = @(Get-RecoveryCheckpoint $vm | Where-Object { @($request.known) -notcontains $_.InstanceID -and $_.ElementName -notlike 'Causeway *' })
  if ($request.claim) { $new = @($new | Where-Object { $_.InstanceID -eq $request.claim }) }
  if ($new.Count -gt 1) { Exit-With 'source.vm-busy' "another program takes checkpoints of the VM: $(($new | ForEach-Object { $_.ElementName }) -join ', ')" }
  if ($new.Count -eq 1) { $checkpoint = $new[0] }
}
if ($null -eq $checkpoint) {
  $class = Get-CimClass -Namespace $namespace -ClassName Msvm_VirtualSystemSnapshotSettingData
  # 2: a copy, which leaves the chain of backups inside the guest alone.
  $wanted = @{ ConsistencyLevel = [byte]$request.level; IgnoreNonSnapshottableDisks = $true }
  if ($class.CimClassProperties['GuestBackupType']) { $wanted.GuestBackupType = [byte]2 }
  $settings = New-CimInstance -CimClass $class -ClientOnly -Property $wanted
  $service = Get-CimInstance -Namespace $namespace -ClassName Msvm_VirtualSystemSnapshotService
  $before = @(Get-RecoveryCheckpoint $vm | ForEach-Object { $_.InstanceID })
  $code = if ($request.level -eq 1) { 'source.quiesce-failed' } else { 'source.snapshot-failed' }
  $result = Invoke-CimMethod -InputObject $service -MethodName CreateSnapshot -Arguments @{ AffectedSystem = $vm; SnapshotSettings = (ConvertTo-EmbeddedText $settings); SnapshotType = [uint16]32768 }
  Complete-Call -Result $result -Code $code -What 'the checkpoint'
  $new = @(Get-RecoveryCheckpoint $vm | Where-Object { $before -notcontains $_.InstanceID })
  if ($new.Count -gt 1) { Exit-With 'source.vm-busy' "another program took a checkpoint of the VM at the same time: $(($new | ForEach-Object { $_.ElementName }) -join ', ')" }
  $checkpoint = $new | Select-Object -First 1
  if ($null -eq $checkpoint) { Exit-With 'source.snapshot-failed' 'the checkpoint was taken, but is not there' }
}
if ($checkpoint.ElementName -ne $request.name) {
  $checkpoint.CimInstanceProperties['ElementName'].Value = [string]$request.name
  $checkpoint.CimInstanceProperties['Notes'].Value = [string[]]@($request.notes)
  $management = Get-CimInstance -Namespace $namespace -ClassName Msvm_VirtualSystemManagementService
  Complete-Call -Result (Invoke-CimMethod -InputObject $management -MethodName ModifySystemSettings -Arguments @{ SystemSettings = (ConvertTo-EmbeddedText $checkpoint) }) -Code 'source.snapshot-failed' -What 'naming the checkpoint'
}
Send-Answer @{ host = $env:COMPUTERNAME; checkpoint = (ConvertTo-CheckpointFact $checkpoint) }
