# Brings the guest's disks online, finds its Windows, and tells what it is.
$disks = foreach ($wanted in $request.disks) {
  $found = $null
  foreach ($attempt in 1..30) {
    $found = Find-GuestDisk $wanted
    if ($found) { break }
    Start-Sleep -Seconds 2
    Update-HostStorageCache
  }
  if (-not $found) { Exit-With 'osmorphing.device-missing' "the worker has no disk $(Get-GuestDiskName $wanted)" }
  $found
}
$numbers = @($disks | ForEach-Object { $_.Number })
if (@($numbers | Select-Object -Unique).Count -ne $numbers.Count) { Exit-With 'osmorphing.device-missing' "two of the guest's disks are the same disk of the worker: $($numbers -join ', ')" }
foreach ($disk in $disks) {
  # Windows gives the later of two such disks another signature, and then the guest does not find its system.
  if ($disk.IsOffline -and $disk.OfflineReason -match '^(4|Collision)$') { Exit-With 'osmorphing.not-supported' "disk $($disk.Number) has the signature of another disk of the worker: prepare the guest offline, or choose another worker image" }
  if ($disk.IsOffline) { Set-Disk -Number $disk.Number -IsOffline $false }
  if ($disk.IsReadOnly) { Set-Disk -Number $disk.Number -IsReadOnly $false }
}
$locked = $null
$isDynamic = $false
$roots = foreach ($disk in $disks) {
  foreach ($partition in Get-Partition -DiskNumber $disk.Number -ErrorAction SilentlyContinue) {
    if ($partition.MbrType -eq 66 -or '{5808c8aa-7e8f-42e0-85d2-e1e90434cfb3}', '{af9b60a0-1431-4f62-bc68-3311714a69ad}' -contains $partition.GptType) { $isDynamic = $true }
    if ($partition.Size -lt 128mb) { continue }
    if (-not $partition.DriveLetter -or $partition.DriveLetter -eq "`0") {
      try { $partition | Add-PartitionAccessPath -AssignDriveLetter } catch { continue }
      $partition = Get-Partition -DiskNumber $disk.Number -PartitionNumber $partition.PartitionNumber
    }
    $drive = "$($partition.DriveLetter):"
    if (Test-Path "$drive\Windows\System32\config\SYSTEM") {
      [pscustomobject]@{ drive = $drive; device = "disk $($disk.Number) partition $($partition.PartitionNumber)"; uuid = (Get-Volume -DriveLetter $partition.DriveLetter).UniqueId }
    } elseif ((& manage-bde.exe -status $drive 2>$null | Out-String) -match 'Locked|Gesperrt') { $locked = $drive }
  }
}
$roots = @($roots | Where-Object { -not $request.root -or $request.root -eq $_.uuid -or $request.root -eq $_.device })
if ($roots.Count -eq 0 -and $locked) { Exit-With 'osmorphing.locked' "$locked is encrypted with BitLocker, which a Windows worker does not unlock; prepare it offline with its recovery key, or decrypt it on the source (manage-bde -off)" }
if ($roots.Count -eq 0 -and $isDynamic) { Exit-With 'osmorphing.root-not-found' 'the disks are dynamic ones, which no worker reads: make them basic ones on the source' }
if ($roots.Count -eq 0) { Exit-With 'osmorphing.root-not-found' "no Windows installation on $(@($request.disks | ForEach-Object { Get-GuestDiskName $_ }) -join ', ')" }
if ($roots.Count -gt 1) { Exit-With 'osmorphing.several-roots' (($roots | ForEach-Object { "$($_.device) $($_.uuid)" }) -join '; ') }
$drive = $roots[0].drive
$hibernation = "$drive\hiberfil.sys"
if (Test-Path $hibernation) {
  $stream = [IO.File]::Open($hibernation, 'Open', 'Read', 'ReadWrite')
  $mark = New-Object byte[] 4
  [void]$stream.Read($mark, 0, 4)
  $stream.Close()
  if ([Text.Encoding]::ASCII.GetString($mark) -match '^(hibr|HIBR)$') { Exit-With 'osmorphing.hibernated' "$drive holds a hibernated Windows" }
}
try {
  Mount-Hive $drive 'SYSTEM'
  Mount-Hive $drive 'SOFTWARE'
  $set = "Registry::HKEY_LOCAL_MACHINE\causeway-SYSTEM\$(Get-ControlSet)"
  $current = Get-ItemProperty 'Registry::HKEY_LOCAL_MACHINE\causeway-SOFTWARE\Microsoft\Windows NT\CurrentVersion'
  $version = if ($null -ne $current.CurrentMajorVersionNumber) { @($current.CurrentMajorVersionNumber, $current.CurrentMinorVersionNumber) } else { $current.CurrentVersion.Split('.') }
  $services = @{}
  foreach ($key in Get-ChildItem "$set\Services") {
    $start = $key.GetValue('Start')
    if ($null -ne $start) { $services[$key.PSChildName] = [int]$start }
  }
  $interfaces = @(foreach ($key in Get-ChildItem "$set\Services\Tcpip\Parameters\Interfaces") {
    if ($key.GetValue('EnableDHCP') -eq 1) { continue }
    $addresses = @($key.GetValue('IPAddress') | Where-Object { $_ -and $_ -ne '0.0.0.0' })
    if ($addresses.Count -eq 0) { continue }
    @{
      guid = $key.PSChildName; addresses = $addresses; masks = @($key.GetValue('SubnetMask') | Where-Object { $_ }); gateways = @($key.GetValue('DefaultGateway') | Where-Object { $_ })
      servers = @("$($key.GetValue('NameServer'))" -split '[ ,]+' | Where-Object { $_ }); suffix = "$($key.GetValue('Domain'))"
      name = "$(Get-Item "$set\Control\Network\{4D36E972-E325-11CE-BFC1-08002BE10318}\$($key.PSChildName)\Connection" -ErrorAction SilentlyContinue | ForEach-Object { $_.GetValue('Name') })"
    }
  })
  # Interfaces that ask by DHCP already, but have name servers of their own.
  $withServers = @(foreach ($key in Get-ChildItem "$set\Services\Tcpip\Parameters\Interfaces") {
    if ($key.GetValue('EnableDHCP') -eq 1 -and "$($key.GetValue('NameServer'))".Trim()) { $key.PSChildName }
  })
  # Filters in front of the drivers of each class of devices.
  $filters = @(foreach ($key in Get-ChildItem "$set\Control\Class" -ErrorAction SilentlyContinue) {
    foreach ($name in 'UpperFilters', 'LowerFilters') {
      $names = @($key.GetValue($name) | Where-Object { $_ })
      if ($names.Count -gt 0) { @{ key = "Control\Class\$($key.PSChildName)"; name = $name; values = $names } }
    }
  })
  # Whether the network that the guest was in last was a private one. Of a domain's, Windows learns that by itself.
  $newest = ''
  $wasPrivate = $false
  foreach ($key in Get-ChildItem 'Registry::HKEY_LOCAL_MACHINE\causeway-SOFTWARE\Microsoft\Windows NT\CurrentVersion\NetworkList\Profiles' -ErrorAction SilentlyContinue) {
    $when = @($key.GetValue('DateLastConnected') | Where-Object { $null -ne $_ })
    if ($when.Count -ne 16) { continue }
    # Year, month, day, hour, minute, second; the day of the week stands in between.
    $moment = (0, 2, 6, 8, 10, 12 | ForEach-Object { '{0:d5}' -f [BitConverter]::ToUInt16([byte[]]$when, $_) }) -join '-'
    if ([string]::CompareOrdinal($moment, $newest) -gt 0) {
      $newest = $moment
      $wasPrivate = $key.GetValue('Category') -eq 1
    }
  }
  # An agent of a cloud that was registered for machines elsewhere: a machine of that cloud has another kind of identifier.
  $registration = "$drive\ProgramData\Amazon\SSM\InstanceData\registration"
  $isRegistered = (Test-Path -LiteralPath $registration) -and [IO.File]::ReadAllText($registration) -match '"ManagedInstanceID"\s*:\s*"mi-'
  $crashControl = Get-Item "$set\Control\CrashControl" -ErrorAction SilentlyContinue
  $crashes = @{ restarts = 1; kept = $false }
  if ($crashControl) { $crashes = @{ restarts = [int]$crashControl.GetValue('AutoReboot', 1); kept = $null -ne $crashControl.GetValue('CausewayAutoReboot') } }
  $answer = @{
    drive = $drive; device = $roots[0].device; uuid = $roots[0].uuid; name = "$($current.ProductName)"
    version = @([int]$version[0], [int]$version[1], [int]$current.CurrentBuildNumber)
    server = ((Get-ItemProperty "$set\Control\ProductOptions").ProductType -ne 'WinNT')
    architecture = "$((Get-ItemProperty "$set\Control\Session Manager\Environment").PROCESSOR_ARCHITECTURE)"
    hostname = "$((Get-ItemProperty "$set\Control\ComputerName\ComputerName").ComputerName)"
    uefi = @(foreach ($disk in $disks) { Get-Partition -DiskNumber $disk.Number -ErrorAction SilentlyContinue | Where-Object { $_.GptType -eq '{c12a7328-f81f-11d2-ba4b-00a0c93ec93b}' } }).Count -gt 0
    services = $services; interfaces = $interfaces; withServers = $withServers; filters = $filters; wasPrivate = $wasPrivate; crashes = $crashes; isRegistered = $isRegistered
    worker = @(foreach ($part in 'Major', 'Minor', 'Build') { [int][Environment]::OSVersion.Version.$part })
  }
} finally { Dismount-Hive }
Send-Answer $answer
