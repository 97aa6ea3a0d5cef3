import {
  childOf,
  parseXml,
  typeOf,
  type XmlElement,
} from '../../../electron/engine/platforms/virtualization-platform/client/xml.ts';

/** A parameter or member: its name, its type, and how often it may stand there. */
export type Member = readonly [name: string, type: string, count: '1' | '?' | '*' | '+'];

const wait: readonly Member[] = [
  ['maxWaitSeconds', 'int', '?'],
  ['maxObjectUpdates', 'int', '?'],
];
/** Data objects of requests, their members in the order of the API's types; a subtype has its base's members first. */
export const objects: Readonly<Record<string, readonly Member[]>> = {
  PropertyFilterSpec: [
    ['propSet', 'PropertySpec', '+'],
    ['objectSet', 'ObjectSpec', '+'],
    ['reportMissingObjectsInResults', 'boolean', '?'],
  ],
  PropertySpec: [
    ['type', 'string', '1'],
    ['all', 'boolean', '?'],
    ['pathSet', 'string', '*'],
  ],
  ObjectSpec: [
    ['obj', 'object', '1'],
    ['skip', 'boolean', '?'],
    ['selectSet', 'SelectionSpec', '*'],
  ],
  SelectionSpec: [['name', 'string', '?']],
  TraversalSpec: [
    ['name', 'string', '?'],
    ['type', 'string', '1'],
    ['path', 'string', '1'],
    ['skip', 'boolean', '?'],
    ['selectSet', 'SelectionSpec', '*'],
  ],
  RetrieveOptions: [['maxObjects', 'int', '?']],
  WaitOptions: wait,
  EventFilterSpec: [
    ['entity', 'EventFilterSpecByEntity', '?'],
    ['time', 'EventFilterSpecByTime', '?'],
  ],
  EventFilterSpecByEntity: [
    ['entity', 'object', '1'],
    ['recursion', 'recursion', '1'],
  ],
  EventFilterSpecByTime: [
    ['beginTime', 'dateTime', '?'],
    ['endTime', 'dateTime', '?'],
  ],
  VirtualMachineConfigSpec: [['changeTrackingEnabled', 'boolean', '?']],
};

/** Methods that this platform's client may call: on what, with what, in this order, and the privilege that they take. */
export const methods: Readonly<
  Record<string, { readonly on: string; readonly takes: readonly Member[]; readonly privilege?: string }>
> = {
  RetrieveServiceContent: { on: 'ServiceInstance', takes: [] },
  CurrentTime: { on: 'ServiceInstance', takes: [] },
  RetrieveInternalContent: { on: 'ServiceInstance', takes: [] },
  Login: {
    on: 'SessionManager',
    takes: [
      ['userName', 'string', '1'],
      ['password', 'string', '1'],
      ['locale', 'string', '?'],
    ],
  },
  Logout: { on: 'SessionManager', takes: [] },
  CreatePropertyCollector: { on: 'PropertyCollector', takes: [] },
  DestroyPropertyCollector: { on: 'PropertyCollector', takes: [] },
  CreateFilter: {
    on: 'PropertyCollector',
    takes: [
      ['spec', 'PropertyFilterSpec', '1'],
      ['partialUpdates', 'boolean', '1'],
    ],
  },
  RetrievePropertiesEx: {
    on: 'PropertyCollector',
    takes: [
      ['specSet', 'PropertyFilterSpec', '+'],
      ['options', 'RetrieveOptions', '1'],
    ],
  },
  ContinueRetrievePropertiesEx: { on: 'PropertyCollector', takes: [['token', 'string', '1']] },
  WaitForUpdatesEx: {
    on: 'PropertyCollector',
    takes: [
      ['version', 'string', '?'],
      ['options', 'WaitOptions', '?'],
    ],
  },
  CreateContainerView: {
    on: 'ViewManager',
    takes: [
      ['container', 'object', '1'],
      ['type', 'string', '*'],
      ['recursive', 'boolean', '1'],
    ],
  },
  DestroyView: { on: 'ContainerView', takes: [] },
  CreateSnapshot_Task: {
    on: 'VirtualMachine',
    privilege: 'VirtualMachine.State.CreateSnapshot',
    takes: [
      ['name', 'string', '1'],
      ['description', 'string', '?'],
      ['memory', 'boolean', '1'],
      ['quiesce', 'boolean', '1'],
    ],
  },
  RemoveSnapshot_Task: {
    on: 'VirtualMachineSnapshot',
    privilege: 'VirtualMachine.State.RemoveSnapshot',
    takes: [
      ['removeChildren', 'boolean', '1'],
      ['consolidate', 'boolean', '?'],
    ],
  },
  ConsolidateVMDisks_Task: { on: 'VirtualMachine', privilege: 'VirtualMachine.State.RemoveSnapshot', takes: [] },
  ReconfigVM_Task: {
    on: 'VirtualMachine',
    privilege: 'VirtualMachine.Config.ChangeTracking',
    takes: [['spec', 'VirtualMachineConfigSpec', '1']],
  },
  QueryChangedDiskAreas: {
    on: 'VirtualMachine',
    privilege: 'VirtualMachine.Provisioning.DiskRandomRead',
    takes: [
      ['snapshot', 'object', '?'],
      ['deviceKey', 'int', '1'],
      ['startOffset', 'long', '1'],
      ['changeId', 'string', '1'],
    ],
  },
  PowerOnVM_Task: {
    on: 'VirtualMachine',
    privilege: 'VirtualMachine.Interact.PowerOn',
    takes: [['host', 'object', '?']],
  },
  ShutdownGuest: { on: 'VirtualMachine', privilege: 'VirtualMachine.Interact.PowerOff', takes: [] },
  NfcGetVmFiles: {
    on: 'NfcService',
    privilege: 'VirtualMachine.Provisioning.GetVmFiles',
    takes: [['vm', 'object', '1']],
  },
  HasPrivilegeOnEntities: {
    on: 'AuthorizationManager',
    takes: [
      ['entity', 'object', '+'],
      ['sessionId', 'string', '1'],
      ['privId', 'string', '*'],
    ],
  },
  QueryEvents: { on: 'EventManager', takes: [['filter', 'EventFilterSpec', '1']] },
  ExportVm: { on: 'VirtualMachine', privilege: 'VApp.Export', takes: [] },
  ExportSnapshot: { on: 'VirtualMachineSnapshot', privilege: 'VApp.Export', takes: [] },
  HttpNfcLeaseProgress: { on: 'HttpNfcLease', takes: [['percent', 'int', '1']] },
  HttpNfcLeaseComplete: { on: 'HttpNfcLease', takes: [] },
  HttpNfcLeaseAbort: { on: 'HttpNfcLease', takes: [] },
};

const simple: Readonly<Record<string, RegExp>> = {
  int: /^-?\d{1,10}$/,
  long: /^-?\d{1,19}$/,
  boolean: /^(true|false)$/,
  string: /^[^]*$/,
  recursion: /^(self|children|all)$/,
  dateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
};

/** What a request has that the API's types don't allow; servers refuse a wrong order as they refuse a wrong name. */
export function problemsOf(raw: string): readonly string[] {
  const method = childOf(parseXml(raw), 'Body')?.children[0];
  const known = method === undefined ? undefined : methods[method.name];
  if (method === undefined || known === undefined) return [`no method ${method?.name ?? ''}`];
  const [target, ...rest] = method.children;
  const problems: string[] = [];
  if (target?.name !== '_this' || target.attributes['type'] !== known.on)
    problems.push(`${method.name} is a method of ${known.on}, not of ${target?.attributes['type'] ?? 'nothing'}`);
  if (method.attributes['xmlns'] !== 'urn:vim25') problems.push(`${method.name} is not in urn:vim25`);
  problems.push(...inOrder(method.name, rest, known.takes));
  return problems;
}

function inOrder(where: string, elements: readonly XmlElement[], members: readonly Member[]): string[] {
  const problems: string[] = [];
  let at = 0;
  for (const [name, type, count] of members) {
    let seen = 0;
    while (at < elements.length && elements[at]?.name === name && (seen === 0 || count === '*' || count === '+')) {
      const element = elements[at];
      if (element !== undefined) problems.push(...ofType(`${where}.${name}`, element, type));
      seen += 1;
      at += 1;
    }
    if (seen === 0 && (count === '1' || count === '+')) problems.push(`${where} lacks ${name} in its place`);
  }
  if (at < elements.length)
    problems.push(`${where} has ${elements[at]?.name ?? ''} where nothing of this name may stand`);
  return problems;
}

function ofType(where: string, element: XmlElement, declared: string): string[] {
  const pattern = simple[declared];
  if (declared === 'object')
    return element.attributes['type'] === undefined || element.text === '' ? [`${where} is no reference`] : [];
  if (pattern !== undefined)
    return element.children.length > 0 || !pattern.test(element.text)
      ? [`${where} is no ${declared}: ${element.text.slice(0, 40)}`]
      : [];
  const type = typeOf(element) ?? declared;
  const members = objects[type];
  return members === undefined ? [`${where} has the unknown type ${type}`] : inOrder(where, element.children, members);
}
