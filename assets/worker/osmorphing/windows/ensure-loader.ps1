# Copies the boot loader of Windows to where firmware looks that knows nothing of this machine, and has Windows show its start.
$name = @{ amd64 = 'bootx64.efi'; x86 = 'bootia32.efi'; arm64 = 'bootaa64.efi' }["$($request.architecture)".ToLowerInvariant()]
$copied = @()
$shown = $false
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
      if ($name -and (Test-Path -LiteralPath $loader) -and -not (Test-Path -LiteralPath $fallback)) {
        New-Item -ItemType Directory -Force (Split-Path $fallback) | Out-Null
        Copy-Item -LiteralPath $loader -Destination $fallback
        $copied += "EFI\Boot\$name"
      }
      # Told to use no graphics as it starts, it shows nothing on the destination's firmware, and may stop there.
      $store = "$drive\EFI\Microsoft\Boot\BCD"
      if ((Test-Path -LiteralPath $store) -and (& bcdedit.exe /store $store /enum '{default}' 2>&1 | Out-String) -match 'graphicsmodedisabled') {
        & bcdedit.exe /store $store /deletevalue '{default}' graphicsmodedisabled 2>&1 | Out-Null
        if ($LASTEXITCODE -eq 0) { $shown = $true }
      }
    } catch { $failed += "the EFI system partition of disk $($disk.Number) cannot be prepared: $($_.Exception.Message)" } finally {
      if ($given -and (Test-Path "$given\")) { $partition | Remove-PartitionAccessPath -AccessPath $given -ErrorAction SilentlyContinue }
    }
  }
}
Send-Answer @{ copied = $copied; failed = $failed; shown = $shown }
