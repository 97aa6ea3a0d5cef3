# What was written to a disk since a tracking ID, as "offset+length" in bytes, window by window, up to so many ranges.
$service = Get-CimInstance -Namespace $namespace -ClassName Msvm_ImageManagementService
$ranges = New-Object Collections.Generic.List[string]
[long]$offset = $request.offset
[long]$end = $request.end
$attempts = 0
while ($offset -lt $end -and $ranges.Count -lt 200000) {
  [long]$length = [Math]::Min($end - $offset, 64gb)
  $result = Invoke-CimMethod -InputObject $service -MethodName GetVirtualDiskChanges -Arguments @{
    Path = $request.path; LimitId = $request.trackingId; ByteOffset = [uint64]$offset; ByteLength = [uint64]$length
  }
  # Denied, timed out, in use, unavailable: may pass.
  if ($result.ReturnValue -in 32769, 32772, 32774, 32777 -and $attempts -lt 5) {
    $attempts++
    Start-Sleep -Seconds 1
    continue
  }
  if ($result.ReturnValue -ne 0 -or $result.ProcessedByteLength -eq 0) {
    Send-Answer @{ refused = [int]$result.ReturnValue }
    exit 0
  }
  $offsets = @($result.ChangedByteOffsets | Where-Object { $null -ne $_ })
  $lengths = @($result.ChangedByteLengths | Where-Object { $null -ne $_ })
  if ($offsets.Count -ne $lengths.Count) { Exit-With 'source.protocol' "Windows lists $($offsets.Count) changes with $($lengths.Count) lengths" }
  for ($index = 0; $index -lt $offsets.Count; $index++) { $ranges.Add("$($offsets[$index])+$($lengths[$index])") }
  $offset += [long]$result.ProcessedByteLength
}
Send-Answer @{ next = $offset; ranges = ($ranges -join ' ') }
