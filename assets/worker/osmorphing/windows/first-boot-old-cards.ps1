# Removes the network cards of the old platform: their connections keep names and addresses, so that the new cards are called "Ethernet 2" and
# Windows complains of an address that two cards have. Runs once, before addresses are set. Only devices on a bus are meant, not teams or VPNs.
Add-Type -TypeDefinition @'
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;

public static class CausewayNetworkCards
{
    [StructLayout(LayoutKind.Sequential)]
    private struct Device { public uint Size; public Guid Class; public uint Instance; public IntPtr Reserved; }

    [DllImport("setupapi.dll", SetLastError = true, CharSet = CharSet.Unicode)]
    private static extern IntPtr SetupDiGetClassDevsW(ref Guid classGuid, string enumerator, IntPtr window, uint flags);
    [DllImport("setupapi.dll", SetLastError = true)]
    private static extern bool SetupDiEnumDeviceInfo(IntPtr set, uint index, ref Device device);
    [DllImport("setupapi.dll", SetLastError = true, CharSet = CharSet.Unicode)]
    private static extern bool SetupDiGetDeviceInstanceIdW(IntPtr set, ref Device device, StringBuilder id, uint length, out uint needed);
    [DllImport("setupapi.dll", SetLastError = true)]
    private static extern bool SetupDiCallClassInstaller(uint function, IntPtr set, ref Device device);
    [DllImport("setupapi.dll", SetLastError = true)]
    private static extern bool SetupDiDestroyDeviceInfoList(IntPtr set);

    private const uint Present = 2;
    private const uint Remove = 5;
    private static readonly string[] Buses = { "PCI\\", "VMBUS\\", "XENVIF\\", "XEN\\" };

    // With `there`, only tells; otherwise removes what is on a bus and not among those that are there.
    private static List<string> Walk(uint flags, List<string> there)
    {
        Guid network = new Guid("4d36e972-e325-11ce-bfc1-08002be10318");
        List<string> found = new List<string>();
        IntPtr set = SetupDiGetClassDevsW(ref network, null, IntPtr.Zero, flags);
        if (set == new IntPtr(-1)) throw new System.ComponentModel.Win32Exception(Marshal.GetLastWin32Error());
        try
        {
            Device device = new Device();
            device.Size = (uint)Marshal.SizeOf(typeof(Device));
            for (uint index = 0; SetupDiEnumDeviceInfo(set, index, ref device); index++)
            {
                StringBuilder id = new StringBuilder(512);
                uint needed;
                if (!SetupDiGetDeviceInstanceIdW(set, ref device, id, (uint)id.Capacity, out needed)) continue;
                string name = id.ToString().ToUpperInvariant();
                if (there == null) { found.Add(name); continue; }
                bool isOnBus = false;
                foreach (string bus in Buses) { if (name.StartsWith(bus, StringComparison.Ordinal)) isOnBus = true; }
                if (isOnBus && !there.Contains(name) && SetupDiCallClassInstaller(Remove, set, ref device)) found.Add(name);
            }
        }
        finally { SetupDiDestroyDeviceInfoList(set); }
        return found;
    }

    public static string[] RemoveThoseThatAreGone()
    {
        List<string> there = Walk(Present, null);
        // Without a card that is there, nothing tells that drivers are at work yet.
        bool isAny = false;
        foreach (string name in there) { foreach (string bus in Buses) { if (name.StartsWith(bus, StringComparison.Ordinal)) isAny = true; } }
        return isAny ? Walk(0, there).ToArray() : new string[0];
    }
}
'@
foreach ($gone in [CausewayNetworkCards]::RemoveThoseThatAreGone()) { Write-Output "$gone is gone, and with it what was set for it" }
exit 0
