# Tells what the guest's registry has of its network interfaces beside their fixed IPv4 addresses. Writes nothing.
try {
  Mount-Hive $request.drive 'SYSTEM'
  $set = "Registry::HKEY_LOCAL_MACHINE\causeway-SYSTEM\$(Get-ControlSet)"
  $class = '{4D36E972-E325-11CE-BFC1-08002BE10318}'
  $interfaces = @(foreach ($key in Get-ChildItem "$set\Services\Tcpip\Parameters\Interfaces" -ErrorAction SilentlyContinue) {
    $guid = $key.PSChildName
    $ipv6 = Get-Item "$set\Services\Tcpip6\Parameters\Interfaces\$guid" -ErrorAction SilentlyContinue
    @{
      guid = $guid; suffix = "$($key.GetValue('Domain'))"; metric = "$($key.GetValue('InterfaceMetric'))"; gatewayMetrics = @($key.GetValue('DefaultGatewayMetric') | Where-Object { $_ })
      servers = @("$($key.GetValue('NameServer'))" -split '[ ,]+' | Where-Object { $_ })
      servers6 = @(if ($ipv6) { "$($ipv6.GetValue('NameServer'))" -split '[ ,;]+' | Where-Object { $_ } })
      name = "$(Get-Item "$set\Control\Network\$class\$guid\Connection" -ErrorAction SilentlyContinue | ForEach-Object { $_.GetValue('Name') })"
    }
  })
  # How the store of IPv6 names each card.
  $cards = @(foreach ($key in Get-ChildItem "$set\Control\Class\$class" -ErrorAction SilentlyContinue) {
    if ($null -ne $key.GetValue('NetLuidIndex') -and $null -ne $key.GetValue('*IfType')) { @{ guid = "$($key.GetValue('NetCfgInstanceId'))"; number = $key.GetValue('NetLuidIndex'); kind = $key.GetValue('*IfType') } }
  })
  $stored = @{}
  foreach ($table in '10', '16') {
    $key = Get-Item "$set\Control\Nsi\{eb004a01-9b1a-11d4-9123-0050047759bc}\$table" -ErrorAction SilentlyContinue
    $stored[$table] = @(if ($key) { foreach ($name in $key.GetValueNames()) { @{ name = $name; value = [BitConverter]::ToString([byte[]]@($key.GetValue($name))).Replace('-', '') } } })
  }
} finally {
  $key = $ipv6 = $null
  Dismount-Hive
}
Send-Answer @{ interfaces = $interfaces; cards = $cards; addresses = $stored['10']; routes = $stored['16'] }
