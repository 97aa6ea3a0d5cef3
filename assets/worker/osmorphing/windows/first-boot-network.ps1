# Sets the addresses that this machine had, on the cards that it has now. Runs once.
$ErrorActionPreference = 'Stop'
$cards = @'
{{cards}}
'@ | ConvertFrom-Json
function Invoke-Netsh {
  & "$env:SystemRoot\System32\netsh.exe" @args | Out-String | Write-Output
  if ($LASTEXITCODE -ne 0) { throw "netsh $args ended with $LASTEXITCODE" }
}
foreach ($card in $cards) {
  $adapter = $null
  foreach ($attempt in 1..60) {
    $adapter = Get-WmiObject Win32_NetworkAdapter | Where-Object { $_.MACAddress -eq $card.mac -and $_.NetConnectionID }
    if ($adapter) { break }
    Start-Sleep -Seconds 2
  }
  if (-not $adapter) { throw "no network card has the address $($card.mac)" }
  $index = @($adapter)[0].InterfaceIndex
  $first = $true
  foreach ($address in $card.addresses) {
    if ($first) {
      $gateway = 'none'
      if (@($card.gateways).Count -gt 0) { $gateway = @($card.gateways)[0] }
      Invoke-Netsh interface ipv4 set address "name=$index" source=static "address=$($address.address)" "mask=$($address.mask)" "gateway=$gateway" store=persistent
      $first = $false
    } else {
      Invoke-Netsh interface ipv4 add address "name=$index" "address=$($address.address)" "mask=$($address.mask)" store=persistent
    }
  }
  $first = $true
  foreach ($server in $card.servers) {
    if ($first) {
      Invoke-Netsh interface ipv4 set dnsservers "name=$index" source=static "address=$server" validate=no
      $first = $false
    } else {
      Invoke-Netsh interface ipv4 add dnsservers "name=$index" "address=$server" validate=no
    }
  }
}
exit 0
