# Writes text files into the guest. Tells which of them were not there before or had another content.
$changed = @()
foreach ($file in $request.files) {
  $path = "$($request.drive)\$($file.path)"
  $bytes = [Convert]::FromBase64String($file.content)
  $existed = Test-Path -LiteralPath $path
  if ($existed -and [Convert]::ToBase64String([IO.File]::ReadAllBytes($path)) -ceq $file.content) { continue }
  New-Item -ItemType Directory -Force (Split-Path $path) | Out-Null
  [IO.File]::WriteAllBytes($path, $bytes)
  $changed += @{ path = $file.path; existed = $existed }
}
Send-Answer @{ changed = $changed }
