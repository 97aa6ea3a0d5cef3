# The platform may give this machine another kind of time than the old one did: universal time or that of a place. Until Windows asks a
# server for the time, which it may do a week later, its clock can be hours off. Runs once.
$service = "$env:SystemRoot\System32\w32tm.exe"
Start-Service W32Time -ErrorAction SilentlyContinue
foreach ($attempt in 1..10) {
  $told = & $service /resync /rediscover 2>&1 | Out-String
  if ($LASTEXITCODE -eq 0) { break }
  Start-Sleep -Seconds 6
}
Write-Output $told
exit 0
