# Runs what comes on standard input: lines that begin with "s" are a script, those with "r" its request, both in base64.
$lines = @($input)
if ($ExecutionContext.SessionState.LanguageMode -ne 'FullLanguage') {
  Write-Output ('{"error":{"code":"source.host-restricted","message":"PowerShell runs in ' + $ExecutionContext.SessionState.LanguageMode + ' mode"}}')
  exit 3
}
$parts = @{ s = New-Object Text.StringBuilder; r = New-Object Text.StringBuilder }
foreach ($line in $lines) { if ($line.Length -gt 1) { [void]$parts[$line.Substring(0, 1)].Append($line.Substring(1).Trim()) } }
$text = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String($parts['s'].ToString()))
$request = ConvertFrom-Json ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String($parts['r'].ToString())))
& ([ScriptBlock]::Create($text)) $request
