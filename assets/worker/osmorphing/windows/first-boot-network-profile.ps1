# Windows takes a new network card for one in a public network, where its firewall lets nobody in. Makes it private again. Runs once.
$manager = [Activator]::CreateInstance([Type]::GetTypeFromCLSID([Guid]'DCB00C01-570F-4A9B-8D69-199FDBA5723B'))
$connections = @()
foreach ($attempt in 1..60) {
  $connections = @(foreach ($connection in $manager.GetNetworkConnections()) { $connection })
  if ($connections.Count -gt 0) { break }
  Start-Sleep -Seconds 2
}
foreach ($connection in $connections) {
  $network = $connection.GetNetwork()
  # The network of a domain is recognized by Windows itself.
  if ($network.GetCategory() -eq 0) {
    $network.SetCategory(1)
    Write-Output "$($network.GetName()) is a private network again"
  }
}
exit 0
