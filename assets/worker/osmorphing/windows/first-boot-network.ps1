# Sets the addresses that this machine had, on the cards that it has now. Runs once.
$ErrorActionPreference = 'Stop'
$text = @'
{{cards}}
'@
# PowerShell 2 of Windows 7 and Server 2008 R2 cannot read JSON by itself. These texts have no brackets and quotes within them.
function Get-CardText([string]$Text, [string]$Name) {
  [regex]::Match($Text, '"' + $Name + '":\s*"([^"]*)"').Groups[1].Value
}
function Get-CardList([string]$Text, [string]$Name) {
  [regex]::Match($Text, '"' + $Name + '":\s*\[([^\[\]]*)\]').Groups[1].Value
}
function Get-CardItem([string]$Text, [string]$Name) {
  foreach ($part in [regex]::Matches((Get-CardList $Text $Name), '"([^"]+)"')) { $part.Groups[1].Value }
}
$cards = @(foreach ($block in [regex]::Matches($text, '\{(?:[^{}]|\{[^{}]*\})*\}')) {
  @{
    mac = Get-CardText $block.Value 'mac'
    name = Get-CardText $block.Value 'name'
    suffix = Get-CardText $block.Value 'suffix'
    addresses = @(foreach ($part in [regex]::Matches((Get-CardList $block.Value 'addresses'), '\{[^{}]*\}')) {
      @{ address = Get-CardText $part.Value 'address'; mask = Get-CardText $part.Value 'mask' }
    })
    gateways = @(Get-CardItem $block.Value 'gateways')
    servers = @(Get-CardItem $block.Value 'servers')
    metric = Get-CardText $block.Value 'metric'
    gatewayMetrics = @(Get-CardItem $block.Value 'gatewayMetrics')
    addresses6 = @(foreach ($part in [regex]::Matches((Get-CardList $block.Value 'addresses6'), '\{[^{}]*\}')) {
      "$(Get-CardText $part.Value 'address')/$(Get-CardText $part.Value 'length')"
    })
    gateways6 = @(Get-CardItem $block.Value 'gateways6')
    servers6 = @(Get-CardItem $block.Value 'servers6')
  }
})
function Invoke-Netsh([string[]]$Words) {
  & "$env:SystemRoot\System32\netsh.exe" $Words | Out-String | Write-Output
  if ($LASTEXITCODE -ne 0) { throw "netsh $Words ended with $LASTEXITCODE" }
}
# Windows chooses a metric of 0 by itself.
function Get-GatewayMetric($Card, [int]$Number) {
  $metrics = @($Card.gatewayMetrics)
  if ($Number -lt $metrics.Count -and $metrics[$Number] -ne '0') { "gwmetric=$($metrics[$Number])" }
}
$failed = $false
foreach ($card in $cards) {
  $adapter = $null
  foreach ($attempt in 1..60) {
    $adapter = Get-WmiObject Win32_NetworkAdapter | Where-Object { $_.MACAddress -eq $card.mac -and $_.NetConnectionID }
    if ($adapter) { break }
    Start-Sleep -Seconds 2
  }
  if (-not $adapter) { throw "no network card has the address $($card.mac)" }
  $adapter = @($adapter)[0]
  $index = $adapter.InterfaceIndex
  # The old card's connection is gone. Where its name is not free, that of the new one stays.
  if ($card.name -and $adapter.NetConnectionID -ne $card.name) {
    & "$env:SystemRoot\System32\netsh.exe" 'interface' 'set' 'interface' "name=$($adapter.NetConnectionID)" "newname=$($card.name)" | Out-String | Write-Output
  }
  if ($card.suffix) {
    $settings = Get-WmiObject Win32_NetworkAdapterConfiguration | Where-Object { $_.Index -eq $adapter.Index }
    Write-Output "the suffix $($card.suffix): $($settings.SetDNSDomain($card.suffix).ReturnValue)"
  }
  $first = $true
  foreach ($address in $card.addresses) {
    if ($first) {
      $gateway = 'none'
      $metric = @()
      if (@($card.gateways).Count -gt 0) {
        $gateway = @($card.gateways)[0]
        $metric = @(Get-GatewayMetric $card 0)
      }
      Invoke-Netsh (@('interface', 'ipv4', 'set', 'address', "name=$index", 'source=static', "address=$($address.address)", "mask=$($address.mask)", "gateway=$gateway") + $metric + @('store=persistent'))
      $first = $false
    } else {
      Invoke-Netsh 'interface', 'ipv4', 'add', 'address', "name=$index", "address=$($address.address)", "mask=$($address.mask)", 'store=persistent'
    }
  }
  # Further ones are for when the first is down.
  for ($number = 1; $number -lt @($card.gateways).Count; $number++) {
    Invoke-Netsh (@('interface', 'ipv4', 'add', 'address', "name=$index", "gateway=$(@($card.gateways)[$number])") + @(Get-GatewayMetric $card $number) + @('store=persistent'))
  }
  if ($card.metric) { Invoke-Netsh 'interface', 'ipv4', 'set', 'interface', "interface=$index", "metric=$($card.metric)", 'store=persistent' }
  $first = $true
  foreach ($server in $card.servers) {
    if ($first) {
      Invoke-Netsh 'interface', 'ipv4', 'set', 'dnsservers', "name=$index", 'source=static', "address=$server", 'validate=no'
      $first = $false
    } else {
      Invoke-Netsh 'interface', 'ipv4', 'add', 'dnsservers', "name=$index", "address=$server", 'validate=no'
    }
  }
  # IPv6 may be off in this Windows. Other cards get their addresses all the same.
  try {
    foreach ($address in $card.addresses6) { Invoke-Netsh 'interface', 'ipv6', 'add', 'address', "interface=$index", "address=$address", 'store=persistent' }
    foreach ($gateway in $card.gateways6) { Invoke-Netsh 'interface', 'ipv6', 'add', 'route', 'prefix=::/0', "interface=$index", "nexthop=$gateway", 'store=persistent' }
    foreach ($server in $card.servers6) { Invoke-Netsh 'interface', 'ipv6', 'add', 'dnsservers', "name=$index", "address=$server", 'validate=no' }
  } catch {
    Write-Output $_.Exception.Message
    $failed = $true
  }
}
if ($failed) { exit 1 }
exit 0
