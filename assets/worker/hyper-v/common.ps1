param($request)
# Read first by every script on a host. The answer is one line of JSON. Every script can be repeated: it finds what an earlier call has done.
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
$namespace = 'root\virtualization\v2'

# In ASCII, which every code page has: names of VMs and messages of Windows are in any language.
function Send-Answer($answer) {
  $text = ConvertTo-Json -InputObject $answer -Depth 8 -Compress
  [Console]::Out.WriteLine([regex]::Replace($text, '[^\x20-\x7e]', { '\u{0:x4}' -f [int][char]$args[0].Value }))
}
function Exit-With([string]$code, [string]$message) {
  Send-Answer @{ error = @{ code = $code; message = $message } }
  exit 3
}
trap { Exit-With 'source.request-refused' "$_" }
function ConvertTo-UtcText($time) { if ($null -eq $time) { $null } else { ([DateTime]$time).ToUniversalTime().ToString('o') } }
function Get-VirtualSystem([string]$id) {
  if ($id -notmatch '^[0-9A-Fa-f-]{36}$') { Exit-With 'source.vm-not-found' "$id is not the ID of a VM" }
  $found = Get-CimInstance -Namespace $namespace -Query "SELECT * FROM Msvm_ComputerSystem WHERE Name='$id'"
  if ($null -eq $found) { Exit-With 'source.vm-not-found' "$env:COMPUTERNAME has no VM $id" }
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
  $root = $vhd
  $chain = @()
  while ($root.ParentPath) {
    if ($chain.Count -ge 64) { throw "$path has more than 64 parents" }
    $chain += "$($root.ParentPath)"
    $root = Get-VHD -Path $root.ParentPath
  }
  # Each file of a VHD chain has an identifier of its own, those of a VHDX chain share one: the disk is known by its first file.
  @{
    path = $path; identifier = "$($root.DiskIdentifier)".ToLowerInvariant(); sizeBytes = $vhd.Size; fileBytes = $vhd.FileSize
    format = "$($vhd.VhdFormat)".ToLowerInvariant(); type = "$($vhd.VhdType)".ToLowerInvariant(); chain = $chain
  }
}
# Waits for the job of a call; a job that was lost with its answer is seen by what is there afterwards.
function Complete-Call($result, [string]$code, [string]$what) {
  if ($result.ReturnValue -eq 0) { return }
  if ($result.ReturnValue -ne 4096) { Exit-With $code "$what was refused with $($result.ReturnValue)" }
  $job = Get-CimInstance -InputObject $result.Job
  # New, starting, running, suspended, ending.
  while ($job.JobState -in 2, 3, 4, 5, 6) {
    Start-Sleep -Milliseconds 300
    $job = Get-CimInstance -InputObject $result.Job
  }
  # Completed, or completed with warnings: what was made is there.
  if ($job.JobState -notin 7, 32768) { Exit-With $code "$what failed with $($job.ErrorCode): $($job.ErrorDescription)" }
}
function ConvertTo-EmbeddedText($instance) {
  $serializer = [Microsoft.Management.Infrastructure.Serialization.CimSerializer]::Create()
  [Text.Encoding]::Unicode.GetString($serializer.Serialize($instance, [Microsoft.Management.Infrastructure.Serialization.InstanceSerializationOptions]::None))
}
function ConvertTo-CheckpointFact($checkpoint) {
  @{
    id = $checkpoint.InstanceID; name = $checkpoint.ElementName; notes = "$($checkpoint.Notes -join ' ')"; createdAt = ConvertTo-UtcText $checkpoint.CreationTime
    disks = @(Get-DiskSetting $checkpoint | ForEach-Object {
      # A file may be gone, e.g. of what another program has left.
      try { Get-DiskFact $_.HostResource[0] } catch { Write-Verbose "$_" }
    })
  }
}
# Its disks are known by their identifiers: the order of its arrays is not that of any other list.
function ConvertTo-ReferencePointFact($point) {
  $disks = for ($index = 0; $index -lt @($point.VirtualDiskIdentifiers).Count; $index++) {
    if ($index -ge @($point.ResilientChangeTrackingIdentifiers).Count) { break }
    $escaped = @($point.VirtualDiskIdentifiers)[$index].Replace('\', '\\')
    $setting = Get-CimInstance -Namespace $namespace -Query "SELECT * FROM Msvm_StorageAllocationSettingData WHERE InstanceID='$escaped'"
    if ($null -eq $setting) { continue }
    try { $fact = Get-DiskFact $setting.HostResource[0] } catch { continue }
    @{ identifier = $fact.identifier; trackingId = @($point.ResilientChangeTrackingIdentifiers)[$index] }
  }
  @{ id = $point.InstanceID; disks = @($disks) }
}
