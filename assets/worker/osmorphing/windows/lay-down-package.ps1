# Lays an installer down in the guest, to be run at the first boot. Windows works without it: a problem with it is told, and no failure.
$path = $request.path
try {
  if (-not $path) {
    $path = "$env:TEMP\causeway-package.msi"
    [Net.ServicePointManager]::SecurityProtocol = [Net.SecurityProtocolType]::Tls12
    (New-Object Net.WebClient).DownloadFile($request.url, $path)
  }
  $digest = (Get-FileHash -LiteralPath $path -Algorithm SHA256).Hash
  if ($request.sha256 -and $digest -ne $request.sha256) { throw "its SHA-256 is $digest, not the expected one" }
  $stream = [IO.File]::OpenRead($path)
  $start = New-Object byte[] 4
  [void]$stream.Read($start, 0, 4)
  $stream.Close()
  if ([BitConverter]::ToString($start) -ne 'D0-CF-11-E0') { throw 'it is no installer of Windows' }
  $target = "$($request.drive)\$($request.target)"
  New-Item -ItemType Directory -Force (Split-Path $target) | Out-Null
  Copy-Item -LiteralPath $path -Destination $target -Force
  Send-Answer @{ laidDown = $true; why = '' }
} catch { Send-Answer @{ laidDown = $false; why = "$($_.Exception.Message)" } }
