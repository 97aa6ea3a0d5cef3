# VMs of this host with disks in the order of their controllers: of IDE first, then SCSI.
$found = if ($request.ids) { foreach ($id in @($request.ids)) { Get-VM -Id $id -ErrorAction SilentlyContinue } } else { Get-VM }
$failed = @()
$vms = foreach ($vm in @($found)) {
  try {
    $security = if ($vm.Generation -eq 2) { Get-VMSecurity -VM $vm -ErrorAction SilentlyContinue }
    $firmware = if ($vm.Generation -eq 2) { Get-VMFirmware -VM $vm }
    # The first hard disk of the boot order; generation 1 has no such list.
    $boot = @($firmware.BootOrder | Where-Object { $null -ne $_.Device -and $_.Device.GetType().Name -eq 'HardDiskDrive' } | ForEach-Object { $_.Device }) | Select-Object -First 1
    $bootsFrom = if ($null -ne $boot) { "$($boot.ControllerType) $($boot.ControllerNumber):$($boot.ControllerLocation)".ToUpperInvariant() }
    $drives = Get-VMHardDiskDrive -VM $vm | Sort-Object -Property @('ControllerType', 'ControllerNumber', 'ControllerLocation')
    $disks = foreach ($drive in @($drives)) {
      $fact = @{
        controller = "$($drive.ControllerType)".ToLowerInvariant(); number = $drive.ControllerNumber; location = $drive.ControllerLocation; path = "$($drive.Path)"
        physicalDisk = $drive.DiskNumber; isShared = [bool]$drive.SupportPersistentReservations
      }
      if ($null -eq $drive.DiskNumber -and $drive.Path) {
        try { $fact.file = Get-DiskFact $drive.Path } catch { $fact.problem = "$_" }
      }
      $fact
    }
    $settings = Get-CimInstance -Namespace $namespace -Query "SELECT * FROM Msvm_ComputerSystem WHERE Name='$($vm.Id)'"
    $exchange = if ($null -ne $settings) { Get-CimAssociatedInstance -InputObject $settings -ResultClassName Msvm_KvpExchangeComponent }
    $values = @{}
    foreach ($item in @($exchange.GuestIntrinsicExchangeItems)) {
      if (-not $item) { continue }
      $pair = @{}
      # The guest writes it, and may write what is not XML.
      try { foreach ($property in ([xml]$item).INSTANCE.PROPERTY) { $pair[$property.NAME] = "$($property.VALUE)" } } catch { continue }
      if ($pair.Name) { $values[$pair.Name] = $pair.Data }
    }
    $nics = foreach ($adapter in @(Get-VMNetworkAdapter -VM $vm)) {
      $vlan = Get-VMNetworkAdapterVlan -VMNetworkAdapter $adapter
      @{
        id = "$($adapter.Id)"; name = "$($adapter.Name)"; switch = "$($adapter.SwitchName)"; mac = "$($adapter.MacAddress)"; isDynamicMac = [bool]$adapter.DynamicMacAddressEnabled; isLegacy = [bool]$adapter.IsLegacy
        vlanMode = "$($vlan.OperationMode)".ToLowerInvariant(); vlan = [int]$vlan.AccessVlanId; addresses = @($adapter.IPAddresses)
      }
    }
    @{
      id = "$($vm.Id)".ToLowerInvariant(); name = $vm.Name; state = "$($vm.State)".ToLowerInvariant(); status = [int]@($settings.OperationalStatus)[1]; generation = [int]$vm.Generation; version = "$($vm.Version)"
      secureBoot = "$($firmware.SecureBoot)" -eq 'On'; isShielded = [bool]$security.Shielded; hasTpm = [bool]$security.TpmEnabled; processors = [int]$vm.ProcessorCount; memoryBytes = [long]$vm.MemoryStartup
      checkpoints = "$($vm.CheckpointType)".ToLowerInvariant(); isClustered = [bool]$vm.IsClustered
      devices = @(@(Get-VMAssignableDevice -VM $vm -ErrorAction SilentlyContinue | ForEach-Object { 'a PCI device' }) + @(Get-VMFibreChannelHba -VM $vm -ErrorAction SilentlyContinue | ForEach-Object { 'a Fibre Channel adapter' }))
      bootsFrom = "$bootsFrom"; system = "$($values.OSName)"; systemVersion = "$($values.OSVersion)"; disks = @($disks); nics = @($nics)
    }
  } catch {
    # One VM must not hide the others; one that was deleted meanwhile is none.
    if (Get-VM -Id $vm.Id -ErrorAction SilentlyContinue) { $failed += @{ id = "$($vm.Id)".ToLowerInvariant(); name = $vm.Name; problem = "$_" } }
  }
}
Send-Answer @{ host = $env:COMPUTERNAME; vms = @($vms); failed = $failed }
