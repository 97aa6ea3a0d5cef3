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
$cards = @(foreach ($block in [regex]::Matches($text, '\{(?:[^{}]|\{[^{}]*\})*\}')) {
  @{
    mac = Get-CardText $block.Value 'mac'
    name = Get-CardText $block.Value 'name'
    suffix = Get-CardText $block.Value 'suffix'
    addresses = @(foreach ($part in [regex]::Matches((Get-CardList $block.Value 'addresses'), '\{[^{}]*\}')) {
      @{ address = Get-CardText $part.Value 'address'; mask = Get-CardText $part.Value 'mask' }
    })
    gateways = @(foreach ($part in [regex]::Matches((Get-CardList $block.Value 'gateways'), '"([^"]+)"')) { $part.Groups[1].Value })
    servers = @(foreach ($part in [regex]::Matches((Get-CardList $block.Value 'servers'), '"([^"]+)"')) { $part.Groups[1].Value })
  }
})
function Invoke-Netsh([string[]]$Words) {
  & "$env:SystemRoot\System32\netsh.exe" $Words | Out-String | Write-Output
  if ($LASTEXITCODE -ne 0) { throw "netsh $Words ended with $LASTEXITCODE" }
}
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
      if (@($card.gateways).Count -gt 0) { $gateway = @($card.gateways)[0] }
      Invoke-Netsh 'interface', 'ipv4', 'set', 'address', "name=$index", 'source=static', "address=$($address.address)", "mask=$($address.mask)", "gateway=$gateway", 'store=persistent'
      $first = $false
    } else {
      Invoke-Netsh 'interface', 'ipv4', 'add', 'address', "name=$index", "address=$($address.address)", "mask=$($address.mask)", 'store=persistent'
    }
  }
  $first = $true
  foreach ($server in $card.servers) {
    if ($first) {
      Invoke-Netsh 'interface', 'ipv4', 'set', 'dnsservers', "name=$index", 'source=static', "address=$server", 'validate=no'
      $first = $false
    } else {
      Invoke-Netsh 'interface', 'ipv4', 'add', 'dnsservers', "name=$index", "address=$server", 'validate=no'
    }
  }
}
exit 0
