# What the endpoint check and the inventory need to know of a host, and of the cluster that it is in.
$system = Get-CimInstance Win32_OperatingSystem
$computer = Get-CimInstance Win32_ComputerSystem
$identity = [Security.Principal.WindowsIdentity]::GetCurrent()
$groups = @($identity.Groups | ForEach-Object { $_.Value })
$cluster = $null
if (Get-Command Get-ClusterNode -ErrorAction SilentlyContinue) {
  try {
    $cluster = @{ name = (Get-Cluster).Name; nodes = @(Get-ClusterNode | Where-Object { "$($_.State)" -eq 'Up' } | ForEach-Object { $_.Name }); down = @(Get-ClusterNode | Where-Object { "$($_.State)" -ne 'Up' } | ForEach-Object { $_.Name }) }
  } catch { Write-Verbose "no cluster: $_" }
}
$rules = @()
try { $rules = @((Get-AppLockerPolicy -Effective).RuleCollections | Where-Object { "$($_.EnforcementMode)" -eq 'Enabled' } | ForEach-Object { "$($_.RuleCollectionType)" }) } catch { Write-Verbose "no AppLocker: $_" }
# What is in force, with the settings of group policies. A policy may keep PowerShell from loading the module.
$firewall = @()
try { $firewall = @(Get-NetFirewallProfile -PolicyStore ActiveStore | Where-Object { $_.Enabled -and "$($_.AllowLocalFirewallRules)" -eq 'False' } | ForEach-Object { $_.Name }) } catch { Write-Verbose "no profiles of the firewall: $_" }
$service = Get-CimInstance -Namespace $namespace -ClassName Msvm_VirtualSystemManagementService -ErrorAction SilentlyContinue
Send-Answer @{
  name = $env:COMPUTERNAME; domain = "$($computer.Domain)"; inDomain = [bool]$computer.PartOfDomain; system = $system.Caption; build = [int]$system.BuildNumber
  powershell = "$($PSVersionTable.PSVersion)"; hasModule = [bool](Get-Module -ListAvailable Hyper-V); hasService = $null -ne $service
  isAdministrator = (New-Object Security.Principal.WindowsPrincipal $identity).IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)
  isHyperVAdministrator = $groups -contains 'S-1-5-32-578'; executionPolicy = "$(Get-ExecutionPolicy)"; appLocker = $rules
  firewall = $firewall
  time = ConvertTo-UtcText (Get-Date); cluster = $cluster
}
