# Reads disks for one caller over TLS until it ends or goes away. What it needs on the host, it removes again: a rule of the firewall and a key.
$flags = [Security.Cryptography.X509Certificates.X509KeyStorageFlags]::MachineKeySet
$certificate = $null
$listener = $null
$stop = New-Object Threading.EventWaitHandle $false, ([Threading.EventResetMode]::ManualReset), "Global\$($request.name)"
try {
  Add-Type -TypeDefinition $request.program
  $certificate = New-Object Security.Cryptography.X509Certificates.X509Certificate2 ([Convert]::FromBase64String($request.pfx)), $request.password, $flags
  # Each execution that reads disks of this host at the moment has a port of its own.
  for ($attempt = 0; $null -eq $listener; $attempt++) {
    $candidate = [Net.Sockets.TcpListener]::Create([int]$request.port + $attempt)
    $candidate.ExclusiveAddressUse = $true
    try {
      $candidate.Start()
      $listener = $candidate
    } catch {
      if ($request.port -eq 0 -or $attempt -ge 31) { throw }
    }
  }
  $port = ([Net.IPEndPoint]$listener.LocalEndpoint).Port
  # Who manages the host at this moment, by the addresses that the host sees. The port is opened to nobody else: behind a gateway, the port of WinRM may be another here.
  $callers = @(Get-NetTCPConnection -LocalPort @([int]$request.managementPort, 5986) -State Established -ErrorAction SilentlyContinue | ForEach-Object { $_.RemoteAddress -replace '%.*' } | Sort-Object -Unique)
  $said = ''
  if ($callers.Count -eq 0) { $said = 'the host sees no connection to WinRM, and so no address to let in' }
  else {
    try {
      $null = New-NetFirewallRule -Name $request.name -DisplayName $request.name -Description 'Causeway reads disks; removed at its end' -Direction Inbound -Action Allow -Protocol TCP -LocalPort $port -RemoteAddress $callers
    } catch { $said = "$_" }
  }
  Send-Answer @{ listening = $port; firewall = $said }
  [Causeway.DiskReader]::Serve($listener, $certificate, $request.client, [int]$request.idleSeconds, $stop)
  Send-Answer @{ ended = $true }
} finally {
  if ($null -ne $listener) { $listener.Stop() }
  Remove-NetFirewallRule -Name $request.name -ErrorAction SilentlyContinue
  # The key is not persisted: it goes with the certificate.
  if ($null -ne $certificate) { $certificate.Dispose() }
  $stop.Dispose()
}
