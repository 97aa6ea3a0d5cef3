# Read first by every script on a Windows worker. The request is JSON on standard input; the answer is one line of JSON.
$ErrorActionPreference = 'Stop'
[Console]::OutputEncoding = New-Object Text.UTF8Encoding $false
$request = (@($input) -join '') | ConvertFrom-Json

function Send-Answer($answer) { [Console]::Out.WriteLine((ConvertTo-Json $answer -Depth 8 -Compress)) }
function Stop-With([string]$code, [string]$message) {
  Send-Answer @{ error = @{ code = $code; message = $message } }
  exit 3
}
function Mount-Hive([string]$drive, [string]$name) {
  & reg.exe load "HKLM\causeway-$name" "$drive\Windows\System32\config\$name" 2>&1 | Out-Null
  if ($LASTEXITCODE -ne 0) { Stop-With 'osmorphing.registry-damaged' "$name cannot be loaded" }
}
function Dismount-Hives {
  # Handles that PowerShell still has keep a hive from being unloaded.
  foreach ($name in 'SYSTEM', 'SOFTWARE') {
    if (-not (Test-Path "Registry::HKEY_LOCAL_MACHINE\causeway-$name")) { continue }
    foreach ($attempt in 1..20) {
      [GC]::Collect()
      [GC]::WaitForPendingFinalizers()
      & reg.exe unload "HKLM\causeway-$name" 2>&1 | Out-Null
      if ($LASTEXITCODE -eq 0) { break }
      Start-Sleep -Milliseconds 500
    }
    if ($LASTEXITCODE -ne 0) { Stop-With 'osmorphing.not-unmounted' "$name stays loaded" }
  }
}
function Get-ControlSet {
  'ControlSet{0:d3}' -f (Get-ItemProperty 'Registry::HKEY_LOCAL_MACHINE\causeway-SYSTEM\Select').Current
}
