import { createTransport } from '../../../electron/engine/http/transport.ts';
import { VimSession } from '../../../electron/engine/platforms/virtualization-platform/client/session.ts';
import { awaitTask } from '../../../electron/engine/platforms/virtualization-platform/client/tasks.ts';
import {
  data,
  objectOf,
  type ManagedObject,
} from '../../../electron/engine/platforms/virtualization-platform/client/request.ts';
import {
  atPath,
  childOf,
  childrenOf,
  escapeXml,
  parseXml,
  textAt,
  writeXml,
  type XmlElement,
} from '../../../electron/engine/platforms/virtualization-platform/client/xml.ts';
import { ApiError, type Call, type Operation, type Reply } from '../cloud-kit/call.ts';
import { passOn } from '../cloud-kit/soap-protocol.ts';
import { beginExport, leaseAnswer } from './file-answers.ts';
import { failed, patchObject } from './property-patches.ts';
import { methods } from './soap-check.ts';
import { labUser, type Vcsim } from './vcsim.ts';
import type { RigEvent, RigVm, VsphereWorld } from './world.ts';

/** As the server names these tasks in its history. */
const taskDescriptions: Readonly<Record<string, string>> = {
  CreateSnapshot_Task: 'VirtualMachine.createSnapshot',
  RemoveSnapshot_Task: 'vm.Snapshot.remove',
  ReconfigVM_Task: 'VirtualMachine.reconfigure',
};

const reference = (type: string, id: string): string => `<returnval type="${type}">${escapeXml(id)}</returnval>`;

/** A fault with members, in the server's own form. */
export function faultReply(type: string, message: string, members = ''): Reply {
  return {
    status: 500,
    body: `<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>${escapeXml(message)}</faultstring><detail><${type}Fault xmlns="urn:vim25" xsi:type="${type}">${members}</${type}Fault></detail></soapenv:Fault>`,
  };
}

/** The simulator as its administrator sees it, past the rig. */
export function administrator(vcsim: Vcsim): VimSession {
  const transport = createTransport();
  return new VimSession({
    host: '127.0.0.1',
    port: 443,
    ...labUser,
    transport: {
      send: (request, signal) => transport.send({ ...request, url: new URL('/sdk', vcsim.url) }, signal),
      close: () => transport.close(),
    },
  });
}

/** What the rig answers itself, or changes of what the simulator answers. */
export function rigOperations(
  world: VsphereWorld,
  vcsim: Vcsim,
  admin: VimSession,
): Readonly<Record<string, Operation<VsphereWorld>>> {
  const signal = new AbortController().signal;
  const upstream = passOn(vcsim.url);
  const forward = ({ headers, raw }: Pick<Call<VsphereWorld>, 'headers' | 'raw'>): Promise<Reply> =>
    upstream({
      method: 'POST',
      url: new URL('/sdk', vcsim.url),
      headers: { ...headers, 'accept-encoding': 'identity' },
      raw,
    });
  const target = ({ body }: Call<VsphereWorld>): ManagedObject => {
    const given = body['_this'] as Readonly<Record<string, string>>;
    return { type: given['@_type'] ?? '', id: given['#text'] ?? '' };
  };
  const pages = new Map<string, readonly XmlElement[]>();
  let pageNumber = 0;

  /** A task of the simulator that fails, under whoever's name. */
  const failTask = async (vm: RigVm, fault: string): Promise<Reply> => {
    const task = await admin.callForObject('PowerOnVM_Task', { type: 'VirtualMachine', id: vm.id }, [], signal);
    world.failingTasks.set(task.id, fault);
    return { status: 200, body: reference('Task', task.id) };
  };
  interface Outcome {
    readonly result: ManagedObject | undefined;
    readonly isDone: boolean;
  }
  /** Passes a call that starts a task on, and comes back when the task and what follows from it (`then`) have ended. */
  const carryOut = (call: Call<VsphereWorld>, then: (outcome: Outcome) => Promise<void> | void): Promise<Reply> =>
    world.inOrder(
      async () => {
        // Of a snapshot that is removed, the VM is not known by it afterwards.
        const vm = vmOf(call);
        const reply = await forward(call);
        const body = childOf(parseXml(String(reply.body)), 'Body')?.children[0];
        const task = reply.status === 200 ? objectOf(childOf(body, 'returnval')) : undefined;
        if (vm !== undefined && task !== undefined)
          world.beginTask(vm, task.id, taskDescriptions[call.operation] ?? call.operation);
        return { vm, reply, task };
      },
      async ({ vm, reply, task }) => {
        if (task === undefined || vm === undefined) return reply;
        await then(
          await awaitTask(admin, task, call.operation, signal).then(
            ({ result }) => ({ result, isDone: true }),
            () => ({ result: undefined, isDone: false }),
          ),
        );
        return reply;
      },
    );
  const vmOf = (call: Call<VsphereWorld>): RigVm | undefined => {
    const { type, id } = target(call);
    return type === 'VirtualMachineSnapshot'
      ? [...world.vms.values()].find(({ snapshots }) => snapshots.has(id))
      : world.vms.get(id);
  };
  /** What a call that may fail later fails with. */
  const asked = (call: Call<VsphereWorld>): boolean => call.fault?.effect === 'status-error';

  const paged = (result: XmlElement, objects: readonly XmlElement[], most: number): XmlElement => {
    const [now, later] = [objects.slice(0, most), objects.slice(most)];
    const token = `page-${(pageNumber += 1)}`;
    if (later.length > 0) pages.set(token, later);
    const rest = result.children.filter(({ name }) => name !== 'objects' && name !== 'token');
    return {
      ...result,
      children: [...rest, ...(later.length > 0 ? [parseXml(`<token>${token}</token>`)] : []), ...now],
    };
  };

  const operations: Record<string, Operation<VsphereWorld>> = {
    async RetrieveServiceContent(call) {
      const reply = await forward(call);
      if (world.keepsEvents || reply.status !== 200) return reply;
      return rewritten(reply, (result) => ({
        ...result,
        children: result.children.filter(({ name }) => name !== 'eventManager'),
      }));
    },
    async RetrievePropertiesEx(call) {
      const lease = /<obj type="HttpNfcLease">([\w-]+)</.exec(call.raw.toString())?.[1];
      if (lease !== undefined && world.leases !== undefined)
        return { status: 200, body: leaseAnswer(world.leases, lease) };
      await world.tasksBegun();
      const reply = await forward(call);
      if (reply.status !== 200) return reply;
      const asking = childOf(childOf(parseXml(call.raw.toString()), 'Body')?.children[0], 'specSet');
      const wanted = new Map(
        childrenOf(asking, 'propSet').map((set) => [
          textAt(set, 'type') ?? '',
          new Set(childrenOf(set, 'pathSet').map(({ text }) => text)),
        ]),
      );
      return rewritten(reply, (result) => {
        const objects = childrenOf(result, 'objects').map((content) => patchObject(world, content, wanted));
        const most = Number(
          atPath(childOf(parseXml(call.raw.toString()), 'Body')?.children[0], 'options.maxObjects')?.text ??
            world.pageLimit,
        );
        return paged(result, objects, Math.min(most, world.pageLimit));
      });
    },
    async ContinueRetrievePropertiesEx(call) {
      const token = String(call.body['token']);
      const later = pages.get(token);
      if (later === undefined) return forward(call);
      pages.delete(token);
      return { status: 200, body: writeXml(paged(parseXml('<returnval></returnval>'), later, world.pageLimit)) };
    },
    async WaitForUpdatesEx(call) {
      const reply = await forward(call);
      if (reply.status !== 200 || world.failingTasks.size === 0) return reply;
      return rewritten(reply, (result) =>
        replaceObjects(result, (object) => {
          const fault = world.failingTasks.get(childOf(object, 'obj')?.text ?? '');
          return fault === undefined ? object : failed(object, fault);
        }),
      );
    },
    async CreateSnapshot_Task(call) {
      const vm = vmOf(call);
      if (vm === undefined) return forward(call);
      if (asked(call)) return failTask(vm, 'SnapshotFault');
      if (call.body['quiesce'] === 'true' && vm.failsToQuiesce) return failTask(vm, 'ApplicationQuiesceFault');
      return carryOut(call, async ({ result }) => {
        if (result !== undefined) await world.freeze(vm, result.id);
      });
    },
    async RemoveSnapshot_Task(call) {
      // Who looked for a snapshot and found it may be ahead of the rig, which keeps its disks.
      await world.tasksEnded();
      const vm = vmOf(call);
      if (vm === undefined) return forward(call);
      if (asked(call)) return failTask(vm, 'HostCommunication');
      if (world.forgottenRemovals > 0) {
        world.forgottenRemovals -= 1;
        return { status: 200, body: reference('Task', 'task-forgotten') };
      }
      return carryOut(call, async ({ isDone }) => {
        if (isDone) await world.thaw(vm, target(call).id);
      });
    },
    async ConsolidateVMDisks_Task(call) {
      const vm = vmOf(call);
      if (vm === undefined) return faultReply('ManagedObjectNotFound', 'The object has already been deleted.');
      if (vm.failsToConsolidate || asked(call)) return failTask(vm, 'FileLocked');
      vm.needsConsolidation = false;
      // A task that changes nothing stands in for the one that the simulator lacks.
      const task = await admin.callForObject(
        'ReconfigVM_Task',
        { type: 'VirtualMachine', id: vm.id },
        [data('spec', [])],
        signal,
      );
      return { status: 200, body: reference('Task', task.id) };
    },
    async ReconfigVM_Task(call) {
      const vm = vmOf(call);
      if (vm === undefined) return forward(call);
      if (asked(call)) return failTask(vm, 'GenericVmConfigFault');
      const tracked = (call.body['spec'] as Readonly<Record<string, unknown>> | undefined)?.['changeTrackingEnabled'];
      return carryOut(call, ({ isDone }) => {
        if (!isDone || tracked === undefined) return;
        vm.isTracked = tracked === 'true';
        if (!vm.isRunning) world.applyTracking(vm);
      });
    },
    ShutdownGuest(call) {
      const vm = vmOf(call);
      if (vm === undefined) return forward(call);
      if (!vm.isRunning)
        return faultReply(
          'InvalidPowerState',
          'The attempted operation cannot be performed in the current state (Powered off).',
        );
      world.powerOff(vm);
      return { status: 200, body: '' };
    },
    async PowerOnVM_Task(call) {
      const vm = vmOf(call);
      if (vm === undefined) return forward(call);
      // The simulator's own VMs are never off: a task that changes nothing stands for the one that was asked for.
      if (asked(call) || vm.isRunning)
        return failTask(vm, vm.isRunning ? 'InvalidPowerState' : 'InsufficientResourcesFault');
      const task = await admin.callForObject(
        'ReconfigVM_Task',
        { type: 'VirtualMachine', id: vm.id },
        [data('spec', [])],
        signal,
      );
      world.powerOn(vm);
      return { status: 200, body: reference('Task', task.id) };
    },
    async QueryChangedDiskAreas(call) {
      const vm = vmOf(call);
      const snapshotId = (call.body['snapshot'] as Readonly<Record<string, string>> | undefined)?.['#text'] ?? '';
      const frozen = vm?.snapshots.get(snapshotId)?.find(({ disk }) => disk.key === Number(call.body['deviceKey']));
      if (vm === undefined || frozen === undefined)
        return faultReply(
          'ManagedObjectNotFound',
          'The object has already been deleted or has not been completely created.',
          `<obj type="VirtualMachineSnapshot">${escapeXml(snapshotId)}</obj>`,
        );
      const start = Number(call.body['startOffset']);
      const { sizeBytes } = frozen.content;
      const invalid = (property: string): Reply =>
        faultReply(
          'InvalidArgument',
          'A specified parameter was not correct.',
          `<invalidProperty>${property}</invalidProperty>`,
        );
      if (start >= sizeBytes) return invalid('startOffset');
      const since = String(call.body['changeId']);
      world.askedChangeIds.push(since);
      const changed = since === '*' ? await world.usedAreas(frozen) : world.changedSince(frozen, since);
      if (changed === 'unknown')
        return faultReply(
          'FileFault',
          'Error caused by file',
          `<file>${escapeXml(world.linkOf(vm, snapshotId, frozen.disk))}</file>`,
        );
      // An answer covers a part of the disk: so many bytes, and no more areas than it takes.
      let end = Math.min(sizeBytes, start + world.areaLimits.bytes);
      const inReach = changed.flatMap(({ offset, length }) => {
        const [from, to] = [Math.max(offset, start), Math.min(offset + length, end)];
        return from < to ? [{ from, to }] : [];
      });
      const given = inReach.slice(0, world.areaLimits.areas);
      const next = inReach[world.areaLimits.areas];
      if (next !== undefined) end = next.from;
      const areas = given
        .map(({ from, to }) => `<changedArea><start>${from}</start><length>${to - from}</length></changedArea>`)
        .join('');
      return {
        status: 200,
        body: `<returnval><startOffset>${start}</startOffset><length>${end - start}</length>${areas}</returnval>`,
      };
    },
    ExportSnapshot(call) {
      const id = world.leases === undefined ? undefined : beginExport(world, world.leases, target(call).id);
      return id === undefined
        ? faultReply('NotSupported', 'The operation is not supported on the object.')
        : { status: 200, body: reference('HttpNfcLease', id) };
    },
    HttpNfcLeaseProgress(call) {
      world.leases?.progress(target(call).id, Number(call.body['percent']));
      return { status: 200, body: '' };
    },
    HttpNfcLeaseComplete(call) {
      world.leases?.end(target(call).id, 'completed');
      return { status: 200, body: '' };
    },
    HttpNfcLeaseAbort(call) {
      world.leases?.end(target(call).id, 'aborted');
      return { status: 200, body: '' };
    },
    RetrieveInternalContent: () => ({
      status: 200,
      body: `<returnval><nfcService type="NfcService">${world.isSingleHost ? 'ha-nfc-service' : 'nfcService'}</nfcService></returnval>`,
    }),
    NfcGetVmFiles(call) {
      const vmId = (call.body['vm'] as Readonly<Record<string, string>>)['#text'] ?? '';
      if (!world.vms.has(vmId))
        return faultReply(
          'ManagedObjectNotFound',
          'The object has already been deleted.',
          `<obj type="VirtualMachine">${escapeXml(vmId)}</obj>`,
        );
      const ticket = world.issueTicket(vmId);
      if (ticket === undefined) return faultReply('HostCommunication', 'Unable to communicate with the remote host.');
      const {
        sessionId,
        port: { host, port, sslThumbprint },
      } = ticket;
      const where = world.isSingleHost ? '' : `<host>${host}</host>`;
      return {
        status: 200,
        body: `<returnval>${where}<port>${port}</port><sslThumbprint>${sslThumbprint}</sslThumbprint><service>${world.isSingleHost ? 'nfc' : 'vpxa-nfc'}</service><serviceVersion>1.1</serviceVersion><sessionId>${sessionId}</sessionId></returnval>`,
      };
    },
    HasPrivilegeOnEntities(call) {
      const listed = <T>(given: unknown): readonly T[] =>
        given === undefined ? [] : Array.isArray(given) ? (given as T[]) : [given as T];
      const wanted = listed<string>(call.body['privId']);
      const answers = listed<Readonly<Record<string, string>>>(call.body['entity']).map((entity) => {
        const privileges = wanted
          .map(
            (id) =>
              `<privAvailability><privId>${escapeXml(id)}</privId><isGranted>${String(!world.withheld.has(id))}</isGranted></privAvailability>`,
          )
          .join('');
        return `<returnval><entity type="${entity['@_type'] ?? ''}">${entity['#text'] ?? ''}</entity>${privileges}</returnval>`;
      });
      return { status: 200, body: answers.join('') };
    },
    QueryEvents(call) {
      const filter = call.body['filter'] as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
      const entityId = (filter['entity']?.['entity'] as Readonly<Record<string, string>> | undefined)?.['#text'];
      const since = Date.parse(String(filter['time']?.['beginTime'] ?? '1970-01-01T00:00:00Z'));
      const found = world.events.filter(
        (event) => event.entityId === entityId && Date.parse(event.createdTime) >= since,
      );
      return { status: 200, body: found.map(eventXml).join('') };
    },
  };
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      (call) => {
        const privilege = methods[name]?.privilege;
        if (privilege !== undefined && world.withheld.has(privilege)) {
          const { type, id } = target(call);
          return faultReply(
            'NoPermission',
            'Permission to perform this operation was denied.',
            `<object type="${type}">${escapeXml(id)}</object><privilegeId>${privilege}</privilegeId>`,
          );
        }
        return operation(call);
      },
    ]),
  );
}

/** An event of the history, its members in the order of the API's types. */
function eventXml({ key, type, createdTime, entityId, hostId, descriptionId, taskId, eventTypeId }: RigEvent): string {
  const host =
    hostId === undefined ? '' : `<host><name>${hostId}</name><host type="HostSystem">${hostId}</host></host>`;
  const task = taskId ?? `task-of-event-${key}`;
  const info =
    descriptionId === undefined
      ? ''
      : `<info><key>${task}</key><task type="Task">${task}</task><descriptionId>${descriptionId}</descriptionId><entity type="VirtualMachine">${entityId}</entity><state>queued</state><cancelled>false</cancelled><cancelable>false</cancelable><reason xsi:type="TaskReasonUser"><userName>somebody</userName></reason><queueTime>${createdTime}</queueTime><eventChainId>${key}</eventChainId></info>`;
  const typeId = eventTypeId === undefined ? '' : `<eventTypeId>${eventTypeId}</eventTypeId>`;
  return `<returnval xsi:type="${type}"><key>${key}</key><chainId>${key}</chainId><createdTime>${createdTime}</createdTime><userName>somebody</userName>${host}${info}${typeId}</returnval>`;
}

/** The answer with another `returnval`; an answer without one stays as it is. */
function rewritten(reply: Reply, change: (result: XmlElement) => XmlElement): Reply {
  const envelope = parseXml(String(reply.body));
  const walk = (element: XmlElement, depth: number): XmlElement => ({
    ...element,
    children: element.children.map((child) =>
      depth === 2 && child.name === 'returnval' ? change(child) : depth < 2 ? walk(child, depth + 1) : child,
    ),
  });
  const { 'content-length': _, ...headers } = reply.headers ?? {};
  return {
    status: reply.status,
    headers,
    body: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${writeXml(walk(envelope, 0))}`),
  };
}

function replaceObjects(result: XmlElement, change: (object: XmlElement) => XmlElement): XmlElement {
  return {
    ...result,
    children: result.children.map((filter) =>
      filter.name === 'filterSet'
        ? {
            ...filter,
            children: filter.children.map((object) => (object.name === 'objectSet' ? change(object) : object)),
          }
        : filter,
    ),
  };
}

/** What a request without a valid session is answered with. */
export function demandSession(world: VsphereWorld, cookie: string | undefined, operation: string): void {
  const session = /vmware_soap_session=("[^"]*"|[^;\s]*)/.exec(cookie ?? '')?.[1];
  if (['RetrieveServiceContent', 'Login', 'unknown'].includes(operation)) return;
  if (session === undefined || world.expiredCookies.has(session))
    throw new ApiError(500, 'The session is not authenticated.', { code: 'NotAuthenticated' });
  world.seenCookies.add(session);
}
