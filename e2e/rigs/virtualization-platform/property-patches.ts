import {
  childOf,
  childrenOf,
  escapeXml,
  parseXml,
  textAt,
  typeOf,
  writeXml,
  type XmlElement,
} from '../../../electron/engine/platforms/virtualization-platform/client/xml.ts';
import type { FrozenDisk, RigDisk, RigVm, VsphereWorld } from './world.ts';

const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const xsd = 'xmlns:xsd="http://www.w3.org/2001/XMLSchema"';

const flag = (value: boolean): XmlElement =>
  parseXml(`<val ${xsi} ${xsd} xsi:type="xsd:boolean">${String(value)}</val>`);
const text = (value: string, type = 'xsd:string'): XmlElement =>
  parseXml(`<val ${xsi} ${xsd} xsi:type="${type}">${escapeXml(value)}</val>`);

type Patch = (original: XmlElement | undefined) => XmlElement | undefined;

/** What the rig says of a VM instead of the simulator. */
function vmPatches(world: VsphereWorld, vm: RigVm): Readonly<Record<string, Patch>> {
  return {
    'config.hardware.device': (original) =>
      withDisks(
        original,
        vm.disks.map((disk) => diskXml(disk, world.chainOf(vm, undefined, disk), disk.backing.sizeBytes, undefined)),
      ),
    'runtime.consolidationNeeded': () => flag(vm.needsConsolidation),
    'capability.changeTrackingSupported': () => flag(vm.canTrack),
    'config.changeTrackingEnabled': () => flag(vm.isTracked),
    'guest.toolsRunningStatus': () => text(vm.hasTools ? 'guestToolsRunning' : 'guestToolsNotRunning'),
    'runtime.bootTime': () => (vm.isRunning ? text(vm.bootTime, 'xsd:dateTime') : undefined),
    recentTask: () =>
      parseXml(
        `<val ${xsi} xsi:type="ArrayOfManagedObjectReference">${vm.tasks.map((id) => `<ManagedObjectReference type="Task" xsi:type="ManagedObjectReference">${id}</ManagedObjectReference>`).join('')}</val>`,
      ),
    'runtime.powerState': () =>
      parseXml(`<val ${xsi} xsi:type="VirtualMachinePowerState">${vm.isRunning ? 'poweredOn' : 'poweredOff'}</val>`),
    'runtime.host': () =>
      parseXml(`<val ${xsi} type="HostSystem" xsi:type="ManagedObjectReference">${vm.hostId}</val>`),
  };
}

/** A snapshot's configuration has the frozen links, with where tracking stands. */
function snapshotPatches(
  world: VsphereWorld,
  vm: RigVm,
  id: string,
  frozen: readonly FrozenDisk[],
): Readonly<Record<string, Patch>> {
  return {
    'config.hardware.device': (original) =>
      withDisks(
        original,
        frozen.map(({ disk, content, changeId }) =>
          diskXml(disk, world.chainOf(vm, id, disk), content.sizeBytes, changeId),
        ),
      ),
  };
}

/** Clients that ask for `config` or `runtime` as a whole get the patched members in it. */
function wholes(patches: Readonly<Record<string, Patch>>): Readonly<Record<string, Patch>> {
  const tops = new Set(
    Object.keys(patches)
      .map((path) => path.split('.')[0] ?? '')
      .filter((top) => top === 'config' || top === 'runtime'),
  );
  return Object.fromEntries(
    [...tops].map((top): [string, Patch] => [
      top,
      (original) => {
        if (original === undefined) return undefined;
        let whole = original;
        for (const [path, patch] of Object.entries(patches)) {
          const [head, ...rest] = path.split('.');
          if (head === top) whole = replaced(whole, rest, patch);
        }
        return whole;
      },
    ]),
  );
}

/** An object with the member at a path patched. The members of a list stand one by one, each under the list's name. */
function replaced(object: XmlElement, [name = '', ...rest]: readonly string[], patch: Patch): XmlElement {
  if (rest.length > 0)
    return {
      ...object,
      children: object.children.map((child) => (child.name === name ? replaced(child, rest, patch) : child)),
    };
  const others = object.children.filter((child) => child.name !== name);
  if (name !== 'device') {
    const made = patch(childOf(object, name));
    return { ...object, children: [...others, ...(made === undefined ? [] : [{ ...made, name, rawName: name }])] };
  }
  const list = patch({ ...object, children: childrenOf(object, name) });
  return {
    ...object,
    children: [...others, ...(list?.children ?? []).map((child) => ({ ...child, name, rawName: name }))],
  };
}

function withDisks(original: XmlElement | undefined, disks: readonly string[]): XmlElement {
  const others = (original?.children ?? [])
    .filter((device) => typeOf(device) !== 'VirtualDisk' && typeOf(device) !== 'ParaVirtualSCSIController')
    .map(writeXml);
  const controller = `<VirtualDevice ${xsi} xsi:type="ParaVirtualSCSIController"><key>1000</key><deviceInfo><label>SCSI controller 0</label><summary>VMware paravirtual SCSI</summary></deviceInfo><controllerKey>100</controllerKey><busNumber>0</busNumber><hotAddRemove>true</hotAddRemove><sharedBus>noSharing</sharedBus><scsiCtlrUnitNumber>7</scsiCtlrUnitNumber></VirtualDevice>`;
  return parseXml(`<val ${xsi} xsi:type="ArrayOfVirtualDevice">${[...others, controller, ...disks].join('')}</val>`);
}

/** @param chain the file and the one that it stands on, if any */
function diskXml(
  { key, unitNumber, uuid, traits }: RigDisk,
  [file, below]: readonly [string, string?],
  sizeBytes: number,
  changeId: string | undefined,
): string {
  const change = changeId === undefined ? '' : `<changeId>${escapeXml(changeId)}</changeId>`;
  const mode = traits.mode ?? 'persistent';
  const parent =
    below === undefined ? '' : `<parent><fileName>${escapeXml(below)}</fileName><diskMode>${mode}</diskMode></parent>`;
  const sharing = `<sharing>${traits.sharing ?? 'sharingNone'}</sharing>`;
  const encryption =
    traits.isEncrypted === true
      ? '<keyId><keyId>key-1</keyId><providerId><id>provider-1</id></providerId></keyId>'
      : '';
  const backing =
    traits.rawDevice === undefined
      ? `<backing ${xsi} xsi:type="VirtualDiskFlatVer2BackingInfo"><fileName>${escapeXml(file)}</fileName><diskMode>${mode}</diskMode><thinProvisioned>true</thinProvisioned><uuid>${uuid}</uuid>${change}${parent}${sharing}${encryption}</backing>`
      : `<backing ${xsi} xsi:type="VirtualDiskRawDiskMappingVer1BackingInfo"><fileName>${escapeXml(file)}</fileName><lunUuid>${uuid}</lunUuid><deviceName>vml.0</deviceName><compatibilityMode>${traits.rawDevice}</compatibilityMode><diskMode>${mode}</diskMode><uuid>${uuid}</uuid>${change}${parent}${sharing}</backing>`;
  return `<VirtualDevice ${xsi} xsi:type="VirtualDisk"><key>${key}</key><deviceInfo><label>Hard disk ${key - 1999}</label><summary>${(sizeBytes / 1024).toLocaleString('en')} KB</summary></deviceInfo>${backing}<controllerKey>1000</controllerKey><unitNumber>${unitNumber}</unitNumber><capacityInKB>${Math.floor(sizeBytes / 1024)}</capacityInKB><capacityInBytes>${sizeBytes}</capacityInBytes></VirtualDevice>`;
}

/** An object's properties as the rig has them: patched where the simulator is wrong, added where it lacks them. */
export function patchObject(
  world: VsphereWorld,
  content: XmlElement,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
): XmlElement {
  const object = childOf(content, 'obj');
  const id = object?.text ?? '';
  const type = object?.attributes['type'] ?? '';
  const vm = world.vms.get(id);
  const owner = [...world.vms.values()].find(({ snapshots }) => snapshots.has(id));
  const frozen = owner?.snapshots.get(id);
  const own =
    type === 'Datastore'
      ? { 'summary.type': () => text(world.datastoreType) }
      : type === 'VirtualMachine' && vm !== undefined
        ? vmPatches(world, vm)
        : owner !== undefined && frozen !== undefined
          ? snapshotPatches(world, owner, id, frozen)
          : {};
  const fails = type === 'Task' ? world.failingTasks.get(id) : undefined;
  const patches = { ...own, ...wholes(own) };
  const kept = content.children.filter(({ name }) => name !== 'propSet' && name !== 'missingSet');
  const hidden =
    type === 'VirtualMachine' ? [...world.hiddenProperties].filter((path) => wanted.get(type)?.has(path) === true) : [];
  const sets = childrenOf(content, 'propSet')
    .flatMap((set) => {
      const path = textAt(set, 'name') ?? '';
      const patch = patches[path];
      if (patch === undefined) return [fails !== undefined && path === 'info' ? failed(set, fails) : set];
      const patched = patch(childOf(set, 'val'));
      return patched === undefined ? [] : [propSet(path, patched)];
    })
    .filter((set) => !hidden.includes(textAt(set, 'name') ?? ''));
  const present = new Set(sets.map((set) => textAt(set, 'name')));
  const added = Object.entries(patches)
    .filter(([path]) => !present.has(path) && !hidden.includes(path) && wanted.get(type)?.has(path) === true)
    .flatMap(([path, patch]) => {
      const made = patch(undefined);
      return made === undefined ? [] : [propSet(path, made)];
    });
  const missing = childrenOf(content, 'missingSet').filter((set) => !((textAt(set, 'path') ?? '') in patches));
  const refused = hidden.map((path) =>
    parseXml(
      `<missingSet><path>${path}</path><fault><fault ${xsi} xsi:type="NoPermission"><object type="${type}">${id}</object><privilegeId>System.Read</privilegeId></fault><localizedMessage>Permission was denied.</localizedMessage></fault></missingSet>`,
    ),
  );
  return { ...content, children: [...kept, ...sets, ...added, ...missing, ...refused] };
}

const propSet = (path: string, val: XmlElement): XmlElement => {
  const set = parseXml(`<propSet><name>${path}</name></propSet>`);
  return { ...set, children: [...set.children, val] };
};

/** An update's `changeSet` or an object's `propSet` with a task's `info`, which ends with a fault of the rig's. */
export function failed(set: XmlElement, fault: string): XmlElement {
  const replace = (element: XmlElement): XmlElement =>
    element.name === 'error'
      ? parseXml(
          `<error><fault ${xsi} xsi:type="${fault}"/><localizedMessage>the rig let it fail with ${fault}</localizedMessage></error>`,
        )
      : { ...element, children: element.children.map(replace) };
  return replace(set);
}
