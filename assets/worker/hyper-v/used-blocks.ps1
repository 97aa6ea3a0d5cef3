# Which parts of a VHDX were ever written, as "offset+length" in bytes, by the block allocation tables of its chain (MS-VHDX). Without an answer, all of it counts as written.
function Read-Piece($stream, [long]$offset, [int]$count) {
  $buffer = New-Object byte[] $count
  $stream.Position = $offset
  $done = 0
  while ($done -lt $count) {
    $read = $stream.Read($buffer, $done, $count - $done)
    if ($read -le 0) { throw 'the file is cut off' }
    $done += $read
  }
  , $buffer
}
function Read-Layer([string]$path, $ranges) {
  $stream = [IO.File]::Open($path, 'Open', 'Read', 'ReadWrite, Delete')
  try {
    if ([Text.Encoding]::ASCII.GetString((Read-Piece -Stream $stream -Offset 0 -Count 8)) -ne 'vhdxfile') { throw 'not a VHDX' }
    # Of the two headers, the one with the higher number counts. If its log is not empty, what the tables say may be older than the disk.
    $current = $null
    foreach ($at in 64kb, 128kb) {
      $header = Read-Piece -Stream $stream -Offset $at -Count 4096
      if ([Text.Encoding]::ASCII.GetString($header, 0, 4) -ne 'head') { continue }
      if ($null -eq $current -or [BitConverter]::ToUInt64($header, 8) -gt [BitConverter]::ToUInt64($current, 8)) { $current = $header }
    }
    if ($null -eq $current) { throw 'no header' }
    if ((New-Object Guid (, [byte[]]$current[48..63])) -ne [Guid]::Empty) { throw 'its log is not empty' }
    $regions = Read-Piece -Stream $stream -Offset 192kb -Count 64kb
    $places = @{}
    for ($index = 0; $index -lt [BitConverter]::ToUInt32($regions, 8); $index++) {
      $at = 16 + $index * 32
      $places["$(New-Object Guid (, [byte[]]$regions[$at..($at + 15)]))"] = @([BitConverter]::ToInt64($regions, $at + 16), [BitConverter]::ToUInt32($regions, $at + 24))
    }
    $metadata = $places['8b7ca206-4790-4b9a-b8fe-575f050f886e'][0]
    $table = Read-Piece -Stream $stream -Offset $metadata -Count 64kb
    $items = @{}
    for ($index = 0; $index -lt [BitConverter]::ToUInt16($table, 10); $index++) {
      $at = 32 + $index * 32
      $items["$(New-Object Guid (, [byte[]]$table[$at..($at + 15)]))"] = [BitConverter]::ToUInt32($table, $at + 16)
    }
    [long]$block = [BitConverter]::ToUInt32((Read-Piece -Stream $stream -Offset ($metadata + $items['caa16737-fa36-4d43-b3b6-33f0aa44e76b']) -Count 4), 0)
    [long]$size = [BitConverter]::ToInt64((Read-Piece -Stream $stream -Offset ($metadata + $items['2fa54224-cd1b-4876-b211-5dbed83bf4b8']) -Count 8), 0)
    [long]$sector = [BitConverter]::ToUInt32((Read-Piece -Stream $stream -Offset ($metadata + $items['8141bf1d-a96f-4709-ba47-f233a8faab5f']) -Count 4), 0)
    [long]$ratio = [Math]::Floor(8mb * $sector / $block)
    $bat = $places['2dc27766-f623-4200-9d64-115e9bfd4a08']
    $entries = Read-Piece -Stream $stream -Offset $bat[0] -Count $bat[1]
    [long]$from = -1
    for ([long]$index = 0; $index * $block -lt $size; $index++) {
      if (($index -band 0xffff) -eq 0 -and $watch.Elapsed.TotalSeconds -gt 120) { throw 'its tables are too long' }
      # Each chunk of blocks is followed by the entry of its sector bitmap.
      [int]$at = ($index + [Math]::Floor($index / $ratio)) * 8
      $isUsed = ($entries[$at] -band 7) -notin 0, 2
      if ($isUsed -and $from -lt 0) { $from = $index * $block }
      if (-not $isUsed -and $from -ge 0) {
        $ranges.Add("$from+$($index * $block - $from)")
        $from = -1
      }
    }
    if ($from -ge 0) { $ranges.Add("$from+$($size - $from)") }
  } finally { $stream.Dispose() }
}
$watch = [Diagnostics.Stopwatch]::StartNew()
$ranges = New-Object Collections.Generic.List[string]
try {
  for ($path = $request.path; $path; $path = "$((Get-VHD -Path $path).ParentPath)") { Read-Layer $path $ranges }
  Send-Answer @{ ranges = ($ranges -join ' ') }
} catch { Send-Answer @{ reason = "$_" } }
