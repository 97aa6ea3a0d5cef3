# Fetches the VirtIO drivers disc and has DISM add its drivers to the guest.
$image = "$env:TEMP\causeway-virtio.iso"
if ($request.path) { $image = $request.path } else {
  [Net.ServicePointManager]::SecurityProtocol = [Net.SecurityProtocolType]::Tls12
  try { (New-Object Net.WebClient).DownloadFile($request.url, $image) } catch { Exit-With 'osmorphing.drivers-missing' "the VirtIO disc cannot be fetched: $($_.Exception.Message)" }
  $digest = (Get-FileHash -Algorithm SHA256 -LiteralPath $image).Hash
  if ($request.sha256 -and $digest -ne $request.sha256) { Exit-With 'osmorphing.download-differs' "the SHA-256 of $($request.url) is $digest, not $($request.sha256)" }
}
try { $disc = Mount-DiskImage -ImagePath $image -PassThru } catch { Exit-With 'osmorphing.drivers-missing' "the VirtIO disc cannot be opened: $($_.Exception.Message)" }
try {
  $letter = "$(($disc | Get-Volume).DriveLetter):"
  $added = @()
  $laidDown = @()
  if ($request.whole) {
    # A vendor's disc: DISM takes from it what is for this Windows.
    $said = & dism.exe /English "/Image:$($request.drive)\" /Add-Driver "/Driver:$letter\" /Recurse 2>&1 | Out-String
    $added = @([regex]::Matches($said, '(?m)^Installing \d+ of \d+ - (.+?): The driver package was successfully installed') | ForEach-Object { $_.Groups[1].Value })
    if ($added.Count -eq 0) { Exit-With 'osmorphing.drivers-missing' "dism took no driver from the disc: $($said.Trim())" }
  }
  foreach ($name in @($request.drivers | Where-Object { $_ })) {
    $folder = $request.folders | ForEach-Object { "$letter\$name\$_\$($request.architecture)" } | Where-Object { Test-Path "$_\*.inf" } | Select-Object -First 1
    if (-not $folder) {
      if ($request.required -contains $name) { Exit-With 'osmorphing.drivers-missing' "the disc has no $name for $($request.folders -join ', ') ($($request.architecture))" }
      continue
    }
    $said = & dism.exe /English "/Image:$($request.drive)\" /Add-Driver "/Driver:$folder" /Recurse /ForceUnsigned 2>&1 | Out-String
    if ($LASTEXITCODE -ne 0) { Exit-With 'osmorphing.command-failed' "dism for $name ended with ${LASTEXITCODE}: $($said.Trim())" }
    $added += "$name for $((Split-Path (Split-Path $folder -Parent) -Leaf))"
    # What talks to the hypervisor is installed at the first boot.
    $programs = @("$folder\blnsvr.exe")
    if ($name -eq 'vioserial') { $programs += "$letter\guest-agent\qemu-ga-$(if ($request.architecture -eq 'x86') { 'i386' } else { 'x86_64' }).msi" }
    foreach ($program in @($programs | Where-Object { Test-Path $_ })) {
      New-Item -ItemType Directory -Force "$($request.drive)\Windows\Drivers\VirtIO" | Out-Null
      Copy-Item -Force $program "$($request.drive)\Windows\Drivers\VirtIO\"
      $laidDown += Split-Path $program -Leaf
    }
  }
} finally { Dismount-DiskImage -ImagePath $image | Out-Null }
Send-Answer @{ added = $added; laidDown = $laidDown }
