# Copies the boot loader of Windows to where firmware looks that knows nothing of this machine.
$name = @{ amd64 = 'bootx64.efi'; x86 = 'bootia32.efi'; arm64 = 'bootaa64.efi' }["$($request.architecture)".ToLowerInvariant()]
$copied = @()
$failed = @()
$free = @('R', 'S', 'T', 'U', 'V', 'W', 'Y', 'Z' | Where-Object { -not (Test-Path "${_}:\") })
foreach ($wanted in $request.disks) {
  $disk = Find-GuestDisk $wanted
  foreach ($partition in Get-Partition -DiskNumber $disk.Number -ErrorAction SilentlyContinue | Where-Object { $_.GptType -eq '{c12a7328-f81f-11d2-ba4b-00a0c93ec93b}' }) {
    $given = $null
    try {
      if ($partition.DriveLetter -and $partition.DriveLetter -ne "`0") { $drive = "$($partition.DriveLetter):" } else {
        $given = "$($free[0]):"
        $partition | Add-PartitionAccessPath -AccessPath $given
        $drive = $given
      }
      $loader = "$drive\EFI\Microsoft\Boot\bootmgfw.efi"
      $fallback = "$drive\EFI\Boot\$name"
      if (-not $name -or -not (Test-Path -LiteralPath $loader) -or (Test-Path -LiteralPath $fallback)) { continue }
      New-Item -ItemType Directory -Force (Split-Path $fallback) | Out-Null
      Copy-Item -LiteralPath $loader -Destination $fallback
      $copied += "EFI\Boot\$name"
    } catch { $failed += "the EFI system partition of disk $($disk.Number) cannot be prepared: $($_.Exception.Message)" } finally {
      if ($given -and (Test-Path "$given\")) { $partition | Remove-PartitionAccessPath -AccessPath $given -ErrorAction SilentlyContinue }
    }
  }
}
Send-Answer @{ copied = $copied; failed = $failed }
