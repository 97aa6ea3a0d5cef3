# Unpacks the guest initialization agent into the guest and registers its service; sets what else the registry needs.
$folder = "$($request.drive)\Cloudbase-Init"
if ($request.agent) {
  $archive = "$env:TEMP\causeway-init-agent.zip"
  if ($request.agent.path) { $archive = $request.agent.path } else {
    [Net.ServicePointManager]::SecurityProtocol = [Net.SecurityProtocolType]::Tls12
    try { (New-Object Net.WebClient).DownloadFile($request.agent.url, $archive) } catch { Exit-With 'osmorphing.init-agent-missing' "the agent could not be fetched: $($_.Exception.Message)" }
    $digest = (Get-FileHash -LiteralPath $archive -Algorithm SHA256).Hash.ToLowerInvariant()
    if ($request.agent.sha256 -and $digest -ne $request.agent.sha256) {
      Exit-With 'osmorphing.download-differs' "the SHA-256 of $($request.agent.url) is $digest, not $($request.agent.sha256)"
    }
  }
  try { Expand-Archive -LiteralPath $archive -DestinationPath $folder -Force } catch { Exit-With 'osmorphing.init-agent-missing' "the agent's archive cannot be unpacked: $($_.Exception.Message)" }
  foreach ($needed in 'Bin\OpenStackService.exe', 'Python\Python.exe') {
    if (-not (Test-Path "$folder\$needed")) { Exit-With 'osmorphing.init-agent-missing' "the agent's archive has no $needed" }
  }
  foreach ($name in 'conf', 'Log', 'LocalScripts') { New-Item -ItemType Directory -Force "$folder\$name" | Out-Null }
}
$set = @()
try {
  Mount-Hive $request.drive 'SYSTEM'
  Mount-Hive $request.drive 'SOFTWARE'
  # Windows starts with another control set after a failed start, or when it is asked to: what is set in the current one is set in all.
  $current = Get-ControlSet
  $others = @(Get-ChildItem 'Registry::HKEY_LOCAL_MACHINE\causeway-SYSTEM' | ForEach-Object { $_.PSChildName } | Where-Object { $_ -match '^ControlSet\d{3}$' -and $_ -ne $current })
  $controlSets = @($current) + $others
  foreach ($value in $request.values) {
    $hive = if ($value.hive) { $value.hive } else { 'SYSTEM' }
    # Most are those of services.
    $place = if ($value.key -like 'Control\*') { $value.key } else { "Services\$($value.key)" }
    $places = if ($value.hive) { $value.key } else { $controlSets | ForEach-Object { "$_\$place" } }
    foreach ($place in @($places)) {
      $key = "Registry::HKEY_LOCAL_MACHINE\causeway-$hive\$place"
      if (-not (Test-Path -LiteralPath $key)) {
        if ($value.onlyIfThere -or $value.isRemoved) { continue }
        New-Item -Force $key | Out-Null
      }
      $names = @(if ($value.isEvery) { (Get-Item -LiteralPath $key).GetValueNames() } else { $value.name })
      foreach ($name in $names) {
        $before = (Get-Item -LiteralPath $key).GetValue($name, $null, 'DoNotExpandEnvironmentNames')
        if ($value.isRemoved) {
          if ($null -eq $before) { continue }
          Remove-ItemProperty -LiteralPath $key -Name $name
          $set += @{ hive = $hive; key = $place; name = $name; before = "$before"; after = $null }
          continue
        }
        if ("$before" -ceq "$($value.value)" -and $null -ne $before) { continue }
        $new = $value.value
        # Such a list may be empty.
        if ($value.type -eq 'MultiString') { $new = [string[]]@($value.value) }
        New-ItemProperty -Force -LiteralPath $key -Name $name -PropertyType $value.type -Value $new | Out-Null
        $set += @{ hive = $hive; key = $place; name = $name; before = if ($null -eq $before) { $null } else { "$before" }; after = "$($value.value)" }
      }
    }
  }
  # Where Remote Desktop is on, its rules let connections in: the platform's console takes no input. Where it is off, nothing is switched on.
  $top = 'Registry::HKEY_LOCAL_MACHINE\causeway-SYSTEM'
  if ($request.openRemoteDesktop -and (Get-Item "$top\$current\Control\Terminal Server").GetValue('fDenyTSConnections') -eq 0) {
    foreach ($place in $controlSets | ForEach-Object { "$_\Services\SharedAccess\Parameters\FirewallPolicy\FirewallRules" } | Where-Object { Test-Path "$top\$_" }) {
      foreach ($name in 'RemoteDesktop-UserMode-In-TCP', 'RemoteDesktop-In-TCP') {
        $before = "$((Get-Item "$top\$place").GetValue($name))"
        if (-not $before.Contains('|Active=FALSE|')) { continue }
        $after = $before.Replace('|Active=FALSE|', '|Active=TRUE|')
        New-ItemProperty -Force -Path "$top\$place" -Name $name -PropertyType String -Value $after | Out-Null
        $set += @{ hive = 'SYSTEM'; key = $place; name = $name; before = $before; after = $after }
      }
    }
  }
} finally { Dismount-Hive }
Send-Answer @{ set = $set }
