param($request)
# Read first by every script on a host. The answer is one line of JSON. Every script can be repeated: it finds what an earlier call has done.
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
$namespace = 'root\virtualization\v2'
[Console]::OutputEncoding = New-Object Text.UTF8Encoding $false

function Send-Answer($answer) { [Console]::Out.WriteLine((ConvertTo-Json -InputObject $answer -Depth 8 -Compress)) }
function Stop-With([string]$code, [string]$message) {
  Send-Answer @{ error = @{ code = $code; message = $message } }
  exit 3
}
trap { Stop-With 'source.request-refused' "$_" }
function ConvertTo-UtcText($time) { if ($null -eq $time) { $null } else { ([DateTime]$time).ToUniversalTime().ToString('o') } }
function Get-VirtualSystem([string]$id) {
  if ($id -notmatch '^[0-9A-Fa-f-]{36}$') { Stop-With 'source.vm-not-found' "$id is not the ID of a VM" }
  $found = Get-CimInstance -Namespace $namespace -Query "SELECT * FROM Msvm_ComputerSystem WHERE Name='$id'"
  if ($null -eq $found) { Stop-With 'source.vm-not-found' "$env:COMPUTERNAME has no VM $id" }
  $found
}
# Two processes must not take a checkpoint of one VM at a time: a call whose answer was lost may still be under way.
function Enter-VirtualSystem([string]$id) {
  $script:gate = New-Object Threading.Mutex $false, "Global\causeway-$id"
  try { [void]$script:gate.WaitOne() } catch [Threading.AbandonedMutexException] { Write-Verbose 'the former owner has ended' }
}
function Get-RecoveryCheckpoint($vm) {
  Get-CimAssociatedInstance -InputObject $vm -Association Msvm_SnapshotOfVirtualSystem -ResultClassName Msvm_VirtualSystemSettingData |
    Where-Object { $_.VirtualSystemType -eq 'Microsoft:Hyper-V:Snapshot:Recovery' }
}
function Get-ReferencePoint($vm) {
  Get-CimAssociatedInstance -InputObject $vm -Association Msvm_ReferencePointOfVirtualSystem -ResultClassName Msvm_VirtualSystemReferencePoint
}
function Get-DiskSetting($settings) {
  Get-CimAssociatedInstance -InputObject $settings -ResultClassName Msvm_StorageAllocationSettingData |
    Where-Object { $_.ResourceSubType -eq 'Microsoft:Hyper-V:Virtual Hard Disk' }
}
function Get-DiskFact([string]$path) {
  $vhd = Get-VHD -Path $path
  @{
    path = $path; identifier = "$($vhd.DiskIdentifier)".ToLowerInvariant(); sizeBytes = $vhd.Size; fileBytes = $vhd.FileSize
    format = "$($vhd.VhdFormat)".ToLowerInvariant(); type = "$($vhd.VhdType)".ToLowerInvariant(); parent = "$($vhd.ParentPath)"
  }
}
# Waits for the job of a call; a job that was lost with its answer is seen by what is there afterwards.
function Complete-Call($result, [string]$code, [string]$what) {
  if ($result.ReturnValue -eq 0) { return }
  if ($result.ReturnValue -ne 4096) { Stop-With $code "$what was refused with $($result.ReturnValue)" }
  $job = Get-CimInstance -InputObject $result.Job
  while ($job.JobState -in 2, 3, 4, 5) {
    Start-Sleep -Milliseconds 300
    $job = Get-CimInstance -InputObject $result.Job
  }
  if ($job.JobState -ne 7) { Stop-With $code "$what failed with $($job.ErrorCode): $($job.ErrorDescription)" }
}
function ConvertTo-EmbeddedText($instance) {
  $serializer = [Microsoft.Management.Infrastructure.Serialization.CimSerializer]::Create()
  [Text.Encoding]::Unicode.GetString($serializer.Serialize($instance, [Microsoft.Management.Infrastructure.Serialization.InstanceSerializationOptions]::None))
}
function ConvertTo-CheckpointFact($checkpoint) {
  @{
    id = $checkpoint.InstanceID; name = $checkpoint.ElementName; notes = "$($checkpoint.Notes -join ' ')"; createdAt = ConvertTo-UtcText $checkpoint.CreationTime
    disks = @(Get-DiskSetting $checkpoint | ForEach-Object { Get-DiskFact $_.HostResource[0] })
  }
}
# Its disks are known by their identifiers: the order of its arrays is not that of any other list.
function ConvertTo-ReferencePointFact($point) {
  $disks = for ($index = 0; $index -lt @($point.VirtualDiskIdentifiers).Count; $index++) {
    if ($index -ge @($point.ResilientChangeTrackingIdentifiers).Count) { break }
    $escaped = @($point.VirtualDiskIdentifiers)[$index].Replace('\', '\\')
    $setting = Get-CimInstance -Namespace $namespace -Query "SELECT * FROM Msvm_StorageAllocationSettingData WHERE InstanceID='$escaped'"
    if ($null -eq $setting) { continue }
    @{ identifier = (Get-DiskFact $setting.HostResource[0]).identifier; trackingId = @($point.ResilientChangeTrackingIdentifiers)[$index] }
  }
  @{ id = $point.InstanceID; disks = @($disks) }
}
