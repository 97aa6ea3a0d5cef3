# Runs each script for the first boot once. The agent would run its scripts at each start where the platform has no metadata.
$folder = Join-Path (Split-Path -Parent (Split-Path -Parent $MyInvocation.MyCommand.Path)) 'FirstBoot'
$done = Join-Path $folder 'done'
$log = Join-Path $folder 'output.log'
$exit = 0
while ($true) {
  $script = Get-ChildItem $folder -ErrorAction SilentlyContinue | Where-Object { -not $_.PSIsContainer -and $_.Name -match '^[0-9][0-9]-' } | Sort-Object Name | Select-Object -First 1
  if (-not $script) { break }
  New-Item -ItemType Directory -Force $done | Out-Null
  $path = Join-Path $done $script.Name
  Move-Item $script.FullName $path -Force
  $code = 1
  try {
    if ($script.Extension -eq '.ps1') {
      $told = & "$env:SystemRoot\System32\WindowsPowerShell\v1.0\powershell.exe" -NoProfile -NonInteractive -ExecutionPolicy Bypass -File $path 2>&1 | Out-String
    } elseif ($script.Extension -eq '.py') {
      $told = & python $path 2>&1 | Out-String
    } else {
      $told = & "$env:SystemRoot\System32\cmd.exe" /d /c $path 2>&1 | Out-String
    }
    $code = $LASTEXITCODE
  } catch { $told = $_.Exception.Message }
  $lines = "== $($script.Name) ended with $code, $(Get-Date -Format s)", $told
  $lines | Out-File -Append -Encoding UTF8 $log
  $lines | Write-Output
  # What the agent means by these: 1001 starts the system again, 1002 runs the script again at the next start, 1003 does both.
  if ($code -ge 1001 -and $code -le 1003) {
    if ($code -ne 1001) { Move-Item $path $script.FullName -Force }
    $left = @(Get-ChildItem $folder | Where-Object { -not $_.PSIsContainer -and $_.Name -match '^[0-9][0-9]-' }).Count
    $exit = if ($code -eq 1002) { 1002 } elseif ($left -gt 0) { 1003 } else { 1001 }
    break
  }
}
exit $exit
