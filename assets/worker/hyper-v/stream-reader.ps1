# Reads disks over standard input and output. First comes the program, with its length in eight digits; then frames.
if ($ExecutionContext.SessionState.LanguageMode -ne 'FullLanguage') {
  [Console]::Error.WriteLine('PowerShell runs in ' + $ExecutionContext.SessionState.LanguageMode + ' mode')
  exit 3
}
$ErrorActionPreference = 'Stop'
$in = [Console]::OpenStandardInput()
function Read-Text([int]$count) {
  $bytes = New-Object byte[] $count
  for ($done = 0; $done -lt $count; $done += $read) {
    $read = $in.Read($bytes, $done, $count - $done)
    if ($read -le 0) { exit 4 }
  }
  [Text.Encoding]::UTF8.GetString($bytes)
}
Add-Type -TypeDefinition (Read-Text ([int](Read-Text 8)))
[Causeway.DiskReader]::ServeStreams($in, [Console]::OpenStandardOutput(), 120)
