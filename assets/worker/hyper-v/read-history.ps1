# When the host started without having been shut down (event 41), since a time; or why that is not known.
$since = ([DateTime]$request.since).ToLocalTime()
$unclean = @()
$problem = ''
try {
  $first = Get-WinEvent -LogName System -Oldest -MaxEvents 1
  if ($first.TimeCreated -gt $since) { $problem = "its event log goes back only to $(ConvertTo-UtcText $first.TimeCreated)" }
  $unclean = @(Get-WinEvent -FilterHashtable @{ LogName = 'System'; ProviderName = 'Microsoft-Windows-Kernel-Power'; Id = 41; StartTime = $since } | ForEach-Object { ConvertTo-UtcText $_.TimeCreated })
} catch {
  # That there is none is an error as well. Its ID is the same in every language.
  if ($_.FullyQualifiedErrorId -notlike 'NoMatchingEventsFound*') { $problem = "$_" }
}
Send-Answer @{ host = $env:COMPUTERNAME; unclean = $unclean; problem = $problem }
