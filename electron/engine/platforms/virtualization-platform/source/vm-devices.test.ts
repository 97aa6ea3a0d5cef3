import { expect, test } from 'vitest';
import { parseXml } from '../client/xml.ts';
import { devicesOf, placeOf } from './vm-devices.ts';

const disk = (
  key: number,
  controller: number,
  unit: number,
  backing: string,
  type = 'VirtualDiskFlatVer2BackingInfo',
): string =>
  `<VirtualDevice xsi:type="VirtualDisk"><key>${key}</key><deviceInfo><label>Hard disk ${key}</label></deviceInfo><backing xsi:type="${type}">${backing}</backing><controllerKey>${controller}</controllerKey><unitNumber>${unit}</unitNumber><capacityInKB>1024</capacityInKB></VirtualDevice>`;
const controller = (key: number, type: string, bus: number, more = ''): string =>
  `<VirtualDevice xsi:type="${type}"><key>${key}</key><busNumber>${bus}</busNumber>${more}</VirtualDevice>`;
const devices = (...parts: readonly string[]) => devicesOf(parseXml(`<val xmlns:xsi="i">${parts.join('')}</val>`));

test('disks come in the order of their controllers and units, with size, file and tracking', () => {
  const { disks } = devices(
    controller(1000, 'ParaVirtualSCSIController', 0),
    controller(1001, 'VirtualLsiLogicSASController', 1),
    controller(200, 'VirtualIDEController', 0),
    disk(2016, 1001, 0, '<fileName>[ds] a/c.vmdk</fileName>'),
    disk(2001, 1000, 1, '<fileName>[ds] a/b.vmdk</fileName><changeId>52 aa/7</changeId>'),
    disk(2000, 1000, 0, '<fileName>[ds] a/a.vmdk</fileName><changeId></changeId>'),
    disk(3000, 200, 0, '<fileName>[ds] a/i.vmdk</fileName>'),
  );
  expect(disks.map(({ key, bus, changeId, sizeBytes }) => [key, bus, changeId, sizeBytes])).toEqual([
    [3000, 'ide', undefined, 1048576],
    [2000, 'scsi', undefined, 1048576],
    [2001, 'scsi', '52 aa/7', 1048576],
    [2016, 'scsi', undefined, 1048576],
  ]);
});

test('what snapshots do not contain is named, with why', () => {
  const { disks } = devices(
    controller(1000, 'ParaVirtualSCSIController', 0, '<sharedBus>noSharing</sharedBus>'),
    controller(1001, 'ParaVirtualSCSIController', 1, '<sharedBus>physicalSharing</sharedBus>'),
    disk(
      2000,
      1000,
      0,
      '<compatibilityMode>physicalMode</compatibilityMode>',
      'VirtualDiskRawDiskMappingVer1BackingInfo',
    ),
    disk(
      2001,
      1000,
      1,
      '<compatibilityMode>virtualMode</compatibilityMode>',
      'VirtualDiskRawDiskMappingVer1BackingInfo',
    ),
    disk(2002, 1000, 2, '<diskMode>independent_persistent</diskMode>'),
    disk(2003, 1000, 3, '<diskMode>persistent</diskMode><sharing>sharingMultiWriter</sharing>'),
    disk(2016, 1001, 0, '<diskMode>persistent</diskMode>'),
  );
  expect(disks.map(({ obstacle }) => obstacle)).toEqual([
    'is a raw device mapping in physical mode',
    undefined,
    'is independent (independent_persistent)',
    'is shared with other VMs (multi-writer)',
    'is on a controller with a shared bus (physicalSharing)',
  ]);
});

test('a path names its datastore and folder, also with brackets and blanks', () => {
  expect(placeOf('[ds 1] web 01/web 01_1-000002.vmdk')).toEqual({ datastore: 'ds 1', folder: 'web 01' });
  expect(placeOf('[ds] a.vmdk')).toEqual({ datastore: 'ds', folder: '' });
  expect(placeOf('nothing')).toBeUndefined();
});
