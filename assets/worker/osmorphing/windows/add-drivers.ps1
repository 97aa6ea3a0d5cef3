# Fetches the VirtIO drivers disc and has DISM add its drivers to the guest.
# Why the guest would not load a driver, or nothing: DISM adds those that are signed for tests as well. As the Linux worker's signature.py.
function Get-Objection([string]$folder) {
  if ($request.architecture -eq 'x86') { return }
  # Every byte is a letter of its own.
  $bytes = [Text.Encoding]::GetEncoding(28591)
  $wide = $bytes.GetString([Text.Encoding]::BigEndianUnicode.GetBytes('WDKTestCert'))
  $sha256 = -join [char[]](0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01)
  $sha1 = -join [char[]](0x2b, 0x0e, 0x03, 0x02, 0x1a)
  $organization = -join [char[]](0x06, 0x03, 0x55, 0x04, 0x0a, 0x13, 0x0a) + 'virtio-win'
  foreach ($catalog in Get-ChildItem "$folder\*.cat") {
    $text = $bytes.GetString([IO.File]::ReadAllBytes($catalog.FullName))
    $isForTests = $text.Contains('WDKTestCert') -or $text.Contains($wide) -or $text.Contains($organization)
    if ($isForTests -and -not $text.Contains('Microsoft Windows Hardware Compatibility')) { return 'it is signed for tests' }
    if ($request.needsUpdate -and $text.Contains($sha256) -and -not $text.Contains($sha1)) {
      $updates = @(Get-ChildItem "$($request.drive)\Windows\servicing\Packages" -ErrorAction SilentlyContinue | Where-Object { $_.Name -match '^package_(for_(kb3033929|kb4474419|rollupfix)|1_for_(kb3033929|kb4474419))' })
      if ($updates.Count -eq 0) { return 'it is signed with SHA-2, which this Windows knows only with the update KB4474419 or KB3033929' }
    }
  }
}
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
  $doubts = @()
  if ($request.whole) {
    # A vendor's disc: DISM takes from it what is for this Windows.
    $said = & dism.exe /English "/Image:$($request.drive)\" /Add-Driver "/Driver:$letter\" /Recurse 2>&1 | Out-String
    $added = @([regex]::Matches($said, '(?m)^Installing \d+ of \d+ - (.+?): The driver package was successfully installed') | ForEach-Object { $_.Groups[1].Value })
    if ($added.Count -eq 0) { Exit-With 'osmorphing.drivers-missing' "dism took no driver from the disc: $($said.Trim())" }
  }
  $folders = @{}
  # All of them before anything is written: Windows stops at each start at a driver of its disk that it does not load. Without others it starts.
  foreach ($name in @($request.drivers | Where-Object { $_ })) {
    $folder = $request.folders | ForEach-Object { "$letter\$name\$_\$($request.architecture)" } | Where-Object { Test-Path "$_\*.inf" } | Select-Object -First 1
    if (-not $folder) {
      if ($request.required -contains $name) { Exit-With 'osmorphing.drivers-missing' "the disc has no $name for $($request.folders -join ', ') ($($request.architecture))" }
      continue
    }
    $objection = Get-Objection $folder
    if ($objection) {
      $told = "the guest would not load the driver $name for $(Split-Path (Split-Path $folder -Parent) -Leaf) on the disc: $objection"
      if ($request.storage -contains $name) { Exit-With 'osmorphing.drivers-missing' "$told; use a disc with drivers signed for it, or install the update on the source" }
      $doubts += $told
    }
    $folders[$name] = $folder
  }
  # Both are for the same device.
  if ($folders['fwcfg']) { $folders.Remove('qemufwcfg') }
  foreach ($name in @($request.drivers | Where-Object { $_ -and $folders[$_] })) {
    $folder = $folders[$name]
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
Send-Answer @{ added = $added; laidDown = $laidDown; doubts = $doubts }
