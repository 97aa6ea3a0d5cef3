# Lets go of everything, so that the volumes can be detached. May run at any time, any number of times.
Dismount-Hive
foreach ($wanted in $request.disks) {
  Find-GuestDisk $wanted | Where-Object { $_ } | ForEach-Object {
    foreach ($partition in Get-Partition -DiskNumber $_.Number -ErrorAction SilentlyContinue) {
      if ($partition.DriveLetter -and $partition.DriveLetter -ne "`0") { try { Write-VolumeCache -DriveLetter $partition.DriveLetter } catch { Write-Verbose "not flushed: $_" } }
    }
    Set-Disk -Number $_.Number -IsOffline $true
  }
}
Send-Answer @{ closed = $true }
