# Tells what of the guest's registry means something on its old platform alone. Writes nothing.
$partitions = @(foreach ($wanted in $request.disks) {
  $disk = Find-GuestDisk $wanted
  foreach ($partition in Get-Partition -DiskNumber $disk.Number -ErrorAction SilentlyContinue) {
    @{ guid = if ($partition.Guid) { "$($partition.Guid)" } else { $null }; signature = $disk.Signature; offset = $partition.Offset }
  }
})
try {
  Mount-Hive $request.drive 'SYSTEM'
  Mount-Hive $request.drive 'SOFTWARE'
  $top = 'Registry::HKEY_LOCAL_MACHINE\causeway'
  $set = "$top-SYSTEM\$(Get-ControlSet)"
  $memory = Get-Item "$set\Control\Session Manager\Memory Management" -ErrorAction SilentlyContinue
  $files = @(if ($memory) { $memory.GetValue('PagingFiles') | Where-Object { $_ } })
  $mounted = Get-Item "$top-SYSTEM\MountedDevices" -ErrorAction SilentlyContinue
  $letters = @(if ($mounted) {
    foreach ($name in $mounted.GetValueNames() -match '^\\DosDevices\\[A-Z]:$') {
      @{ letter = $name.Substring($name.Length - 2); place = [BitConverter]::ToString([byte[]]$mounted.GetValue($name)).Replace('-', '').ToLowerInvariant() }
    }
  })
  $place = 'Microsoft\Windows NT\CurrentVersion\SoftwareProtectionPlatform'
  # One for the system, and one for each product and edition.
  $servers = @(foreach ($key in Get-Item "$top-SOFTWARE\$place", "$top-SOFTWARE\$place\*", "$top-SOFTWARE\$place\*\*" -ErrorAction SilentlyContinue) {
    $server = "$($key.GetValue('KeyManagementServiceName'))"
    if ($server) { @{ key = $key.Name.Substring('HKEY_LOCAL_MACHINE\causeway-SOFTWARE\'.Length); server = $server } }
  })
  $policy = Get-Item "$top-SOFTWARE\Policies\Microsoft\Windows\DeviceInstall\Restrictions" -ErrorAction SilentlyContinue
  $denied = @(if ($policy) { $request.denials | Where-Object { $policy.GetValue($_) -eq 1 } })
  $zone = Get-Item "$set\Control\TimeZoneInformation" -ErrorAction SilentlyContinue
  $isUniversal = $null -ne $zone -and $zone.GetValue('RealTimeIsUniversal') -eq 1
} finally {
  # Open keys keep a hive from being unloaded.
  $memory = $mounted = $key = $policy = $zone = $null
  Dismount-Hive
}
Send-Answer @{ pagingFiles = $files; letters = $letters; partitions = $partitions; activation = $servers; denied = $denied; isUniversal = $isUniversal }
