# Runs a script of the user on the worker. CAUSEWAY_GUEST is the guest's drive, once there is one.
$path = "$env:TEMP\causeway-script.ps1"
[IO.File]::WriteAllText($path, $request.content, (New-Object Text.UTF8Encoding $true))
$env:CAUSEWAY_GUEST = $request.drive
$env:CAUSEWAY_DEVICES = @($request.disks | ForEach-Object { (Get-GuestDiskName $_).Replace(' ', '') }) -join ' '
$ErrorActionPreference = 'Continue'
$said = & powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -File $path 2>&1 | Out-String
$code = $LASTEXITCODE
Remove-Item $path
Send-Answer @{ exitCode = $code; output = $said.Substring([Math]::Max(0, $said.Length - 16000)) }
