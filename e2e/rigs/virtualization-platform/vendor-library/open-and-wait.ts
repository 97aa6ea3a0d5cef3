import {
  openVendorDisk,
  type VendorDiskRequest,
} from '../../../../electron/engine/platforms/virtualization-platform/vendor-library/vendor-disk.ts';

// A process that opens a disk by the vendor's library, says so and waits to be killed.
await openVendorDisk(JSON.parse(process.argv[2] ?? '{}') as VendorDiskRequest, new AbortController().signal);
process.stdout.write('open\n');
setInterval(() => undefined, 60_000);
