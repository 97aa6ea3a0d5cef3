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
  $services = "Registry::HKEY_LOCAL_MACHINE\causeway-SYSTEM\$(Get-ControlSet)\Services"
  foreach ($value in $request.values) {
    # Most are those of services.
    $place = if ($value.key -like 'Control\*') { $value.key } else { "Services\$($value.key)" }
    $key = "Registry::HKEY_LOCAL_MACHINE\causeway-SYSTEM\$(Get-ControlSet)\$place"
    if (-not (Test-Path $key)) {
      if ($value.onlyIfThere) { continue }
      New-Item -Force $key | Out-Null
    }
    $before = (Get-Item $key).GetValue($value.name, $null, 'DoNotExpandEnvironmentNames')
    if ("$before" -ceq "$($value.value)" -and $null -ne $before) { continue }
    $new = $value.value
    # Such a list may be empty.
    if ($value.type -eq 'MultiString') { $new = [string[]]@($value.value) }
    New-ItemProperty -Force -Path $key -Name $value.name -PropertyType $value.type -Value $new | Out-Null
    $set += @{ key = "$(Get-ControlSet)\$place"; name = $value.name; before = if ($null -eq $before) { $null } else { "$before" }; after = "$($value.value)" }
  }
  # Where Remote Desktop is on, its rules let connections in: the platform's console takes no input. Where it is off, nothing is switched on.
  $terminal = "Registry::HKEY_LOCAL_MACHINE\causeway-SYSTEM\$(Get-ControlSet)\Control\Terminal Server"
  if ($request.openRemoteDesktop -and (Get-Item $terminal).GetValue('fDenyTSConnections') -eq 0) {
    $place = 'SharedAccess\Parameters\FirewallPolicy\FirewallRules'
    foreach ($name in 'RemoteDesktop-UserMode-In-TCP', 'RemoteDesktop-In-TCP') {
      $before = "$((Get-Item "$services\$place").GetValue($name))"
      if (-not $before.Contains('|Active=FALSE|')) { continue }
      $after = $before.Replace('|Active=FALSE|', '|Active=TRUE|')
      New-ItemProperty -Force -Path "$services\$place" -Name $name -PropertyType String -Value $after | Out-Null
      $set += @{ key = "$(Get-ControlSet)\Services\$place"; name = $name; before = $before; after = $after }
    }
  }
} finally { Dismount-Hive }
Send-Answer @{ set = $set }
