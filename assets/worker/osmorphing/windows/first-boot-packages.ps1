# Installs the packages that were laid down beside this script, e.g. the destination platform's agent. Runs once.
$folder = Join-Path (Split-Path -Parent (Split-Path -Parent $MyInvocation.MyCommand.Path)) 'packages'
foreach ($package in @(Get-ChildItem (Join-Path $folder '*.msi') -ErrorAction SilentlyContinue)) {
  $process = Start-Process -FilePath "$env:SystemRoot\System32\msiexec.exe" -ArgumentList "/i `"$($package.FullName)`" /qn /norestart" -PassThru -WindowStyle Hidden
  # Some installers wait for a network that is not there yet.
  if ($process.WaitForExit(600000)) { Write-Output "$($package.Name): installed with exit code $($process.ExitCode)" }
  else {
    $process.Kill()
    Write-Output "$($package.Name): the installer did not end within 10 minutes"
  }
}
exit 0
