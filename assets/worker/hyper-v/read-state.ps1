# What there is of checkpoints and reference points of a VM, and whether it is busy with them.
$vm = Get-VirtualSystem $request.vmId
$active = Get-CimAssociatedInstance -InputObject $vm -Association Msvm_SettingsDefineState -ResultClassName Msvm_VirtualSystemSettingData
$unclean = @()
if ($request.since) {
  # 41: the system was not shut down before it started.
  $filter = @{ LogName = 'System'; ProviderName = 'Microsoft-Windows-Kernel-Power'; Id = 41; StartTime = ([DateTime]$request.since).ToLocalTime() }
  $unclean = @(Get-WinEvent -FilterHashtable $filter -ErrorAction SilentlyContinue | ForEach-Object { ConvertTo-UtcText $_.TimeCreated })
}
Send-Answer @{
  host = $env:COMPUTERNAME; state = [int]$vm.EnabledState; status = [int]@($vm.OperationalStatus)[1]; paths = @(Get-DiskSetting $active | ForEach-Object { $_.HostResource[0] }); unclean = $unclean
  checkpoints = @(Get-RecoveryCheckpoint $vm | ForEach-Object { ConvertTo-CheckpointFact $_ })
  referencePoints = @(Get-ReferencePoint $vm | ForEach-Object { ConvertTo-ReferencePointFact $_ })
}
