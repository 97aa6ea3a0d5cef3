# Read first by every script on a Windows worker. The request is JSON on standard input; the answer is one line of JSON.
$ErrorActionPreference = 'Stop'
[Console]::OutputEncoding = New-Object Text.UTF8Encoding $false
$request = (@($input) -join '') | ConvertFrom-Json

function Send-Answer($answer) { [Console]::Out.WriteLine((ConvertTo-Json $answer -Depth 8 -Compress)) }
function Exit-With([string]$code, [string]$message) {
  Send-Answer @{ error = @{ code = $code; message = $message } }
  exit 3
}
# A disk of the request: by its serial, of which a hypervisor may pass on the beginning only; else by its SCSI LUN and its size. By its LUN, a disk
# behind the same controller as the worker's own is never one, nor is one with another target than data disks have (a temporary disk).
# With neither, it is one of those that the worker does not start from; there must be as many of a size as the guest has.
function Find-GuestDisk($wanted) {
  if ($wanted.serial) {
    return @(Get-Disk | Where-Object { $_.SerialNumber -and $wanted.serial.StartsWith($_.SerialNumber.Trim()) -and $_.SerialNumber.Trim().Length -ge 8 }) | Select-Object -First 1
  }
  if ($null -eq $wanted.lun) {
    $same = @($request.disks | Where-Object { $_.sizeBytes -eq $wanted.sizeBytes })
    $others = @(Get-Disk | Where-Object { -not $_.IsBoot -and -not $_.IsSystem -and $_.Size -eq $wanted.sizeBytes } | Sort-Object Number)
    if ($others.Count -gt $same.Count) { Exit-With 'osmorphing.device-missing' "$($others.Count) disks have $($wanted.sizeBytes) bytes, and the guest has $($same.Count)" }
    return $others | Select-Object -Skip $wanted.among -First 1
  }
  $drives = @(Get-CimInstance -ClassName Win32_DiskDrive)
  $own = @(Get-Disk | Where-Object { $_.IsBoot -or $_.IsSystem } | ForEach-Object { $_.Number })
  $ports = @($drives | Where-Object { $own -contains $_.Index } | ForEach-Object { $_.SCSIPort })
  $numbers = @($drives | Where-Object { $_.SCSILogicalUnit -eq $wanted.lun -and $_.SCSITargetId -eq 0 -and $ports -notcontains $_.SCSIPort } | ForEach-Object { $_.Index })
  $found = @(Get-Disk | Where-Object { $numbers -contains $_.Number -and $_.Size -eq $wanted.sizeBytes })
  if ($found.Count -gt 1) { Exit-With 'osmorphing.device-missing' "$($found.Count) disks have LUN $($wanted.lun) and $($wanted.sizeBytes) bytes" }
  $found | Select-Object -First 1
}
function Get-GuestDiskName($wanted) { if ($wanted.serial) { $wanted.serial } elseif ($null -ne $wanted.lun) { "LUN $($wanted.lun)" } else { "of $($wanted.sizeBytes) bytes" } }
function Mount-Hive([string]$drive, [string]$name) {
  & reg.exe load "HKLM\causeway-$name" "$drive\Windows\System32\config\$name" 2>&1 | Out-Null
  if ($LASTEXITCODE -ne 0) { Exit-With 'osmorphing.registry-damaged' "$name cannot be loaded" }
}
function Dismount-Hive {
  # Handles that PowerShell still has keep a hive from being unloaded.
  foreach ($name in 'SYSTEM', 'SOFTWARE') {
    if (-not (Test-Path "Registry::HKEY_LOCAL_MACHINE\causeway-$name")) { continue }
    foreach ($attempt in 1..20) {
      [GC]::Collect()
      [GC]::WaitForPendingFinalizers()
      & reg.exe unload "HKLM\causeway-$name" 2>&1 | Out-Null
      if ($LASTEXITCODE -eq 0) { break }
      Start-Sleep -Milliseconds 500
    }
    if ($LASTEXITCODE -ne 0) { Exit-With 'osmorphing.not-unmounted' "$name stays loaded" }
  }
}
function Get-ControlSet {
  'ControlSet{0:d3}' -f (Get-ItemProperty 'Registry::HKEY_LOCAL_MACHINE\causeway-SYSTEM\Select').Current
}
