# What there is of checkpoints and reference points of a VM, and whether it is busy with them.
$time = ConvertTo-UtcText (Get-Date)
$vm = Get-VirtualSystem $request.vmId
$active = Get-CimAssociatedInstance -InputObject $vm -Association Msvm_SettingsDefineState -ResultClassName Msvm_VirtualSystemSettingData
Send-Answer @{
  host = $env:COMPUTERNAME; time = $time; state = [int]$vm.EnabledState; status = [int]@($vm.OperationalStatus)[1]; paths = @(Get-DiskSetting $active | ForEach-Object { $_.HostResource[0] })
  checkpoints = @(Get-RecoveryCheckpoint $vm | ForEach-Object { ConvertTo-CheckpointFact $_ })
  referencePoints = @(Get-ReferencePoint $vm | ForEach-Object { ConvertTo-ReferencePointFact $_ })
}
