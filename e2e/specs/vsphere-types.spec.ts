import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTransport } from '../../electron/engine/http/transport.ts';
import {
  data,
  refer,
  value,
  type Part,
} from '../../electron/engine/platforms/virtualization-platform/client/request.ts';
import { VimSession } from '../../electron/engine/platforms/virtualization-platform/client/session.ts';
import {
  childOf,
  parseXml,
  typeOf,
  type XmlElement,
} from '../../electron/engine/platforms/virtualization-platform/client/xml.ts';
import { ExportLeases } from '../rigs/virtualization-platform/export-lease/export-leases.ts';
import { readApiTypes, type ApiTypes } from '../rigs/virtualization-platform/govmomi-types.ts';
import { methods, objects, type Member } from '../rigs/virtualization-platform/soap-check.ts';
import { vsphereHarness } from '../rigs/virtualization-platform/source-harness.ts';

const signal = new AbortController().signal;
/** Not in any public description of the API. */
const internal = ['RetrieveInternalContent', 'NfcGetVmFiles'];
const source = new URL(
  '../../electron/engine/platforms/virtualization-platform/source/tracking-history.ts',
  import.meta.url,
);

describe('the types of the API of vSphere, as another client has them', () => {
  let types: ApiTypes;
  beforeAll(async () => {
    types = await readApiTypes();
  });

  /** What this project's table says that the API's types don't. */
  function differences(of: string, table: readonly Member[], name: string): string[] {
    const known = types.members(name).filter((member) => member.name !== '_this');
    let last = -1;
    return table
      .flatMap(([member, type, count]) => {
        const at = known.findIndex((one) => one.name === member);
        const found = known[at];
        if (found === undefined) return [`${of} has no ${member}`];
        const isLate = at < last;
        last = at;
        const expected = type === 'recursion' ? 'EventFilterSpecRecursionOption' : type;
        return [
          ...(isLate ? [`${of}.${member} stands further ahead`] : []),
          ...(found.type === expected ? [] : [`${of}.${member} is ${found.type}, not ${type}`]),
          ...(found.isList === (count === '*' || count === '+')
            ? []
            : [`${of}.${member} is ${found.isList ? 'a list' : 'one'}`]),
        ];
      })
      .concat(
        known.flatMap((member) =>
          member.isOptional || member.type === 'boolean' || table.some(([one]) => one === member.name)
            ? []
            : [`${of} lacks ${member.name}`],
        ),
      );
  }

  it('are those that requests are checked against', () => {
    const wrong = Object.entries(methods).flatMap(([name, { takes }]) =>
      internal.includes(name) ? [] : differences(name, takes, `${name.replace(/_Task$/, '')}RequestType`),
    );
    expect([
      ...wrong,
      ...Object.entries(objects).flatMap(([name, members]) => differences(name, members, name)),
    ]).toEqual([]);
  });

  it('have the events that a history is read for', async () => {
    const named = [...(await readFile(source, 'utf8')).matchAll(/\b(\w+Event)\b(?=['":])/g)]
      .map(([, name = '']) => name)
      .filter((name) => /^[A-Z]/.test(name));
    expect(named.length).toBeGreaterThan(12);
    // Those of services have ids instead, with a point before the name.
    const ids = new Set([...(await readFile(source, 'utf8')).matchAll(/\.(\w+Event)\b/g)].map(([, name = '']) => name));
    expect(named.filter((name) => !ids.has(name) && !types.isA(name, 'Event'))).toEqual([]);
  });

  it('are those that the rig answers with', async () => {
    const lab = await vsphereHarness();
    try {
      const transport = createTransport({ caCertificate: lab.rig.connection.ca_certificate });
      const wrong: string[] = [];
      const { host, port = 443, username, password } = lab.rig.connection;
      const session = new VimSession({
        host,
        port,
        username,
        password: String(password),
        transport: {
          ...transport,
          close: () => transport.close(),
          send: async (request, within) => {
            const answer = await transport.send(request, within);
            const method = /<soapenv:Body><(\w+) /.exec(String(request.body))?.[1] ?? '';
            const values = childOf(parseXml(answer.bytes.toString('utf8')), 'Body')?.children[0]?.children ?? [];
            if (answer.status === 200 && !internal.includes(method) && types.has(`${method}Response`))
              wrong.push(...misplaced(method, values, `${method}Response`));
            return answer;
          },
        },
      });
      const vm = { type: 'VirtualMachine', id: lab.vmId };
      const ask = (method: string, target: { type: string; id: string }, ...parts: Part[]) =>
        session.call(method, target, parts, signal);
      const taken = await lab.platform.createSnapshot({ vmId: lab.vmId, tag: 'types', environment: {} }, signal);
      const snapshot = { type: 'VirtualMachineSnapshot', id: taken.id };
      lab.rig.world.leases = new ExportLeases({ origin: () => 'https://*', sslThumbprint: () => 'AA' });
      lab.rig.world.loseHostPower(lab.vm.hostId);
      lab.rig.world.powerOn(lab.vm);
      lab.rig.world.happen('EventEx', lab.vmId, { eventTypeId: 'com.vmware.vc.ha.VmRestartedByHAEvent' });
      const content = await session.content(signal);
      for (const entity of [vm, { type: 'HostSystem', id: lab.vm.hostId }]) {
        await ask(
          'QueryEvents',
          content.object('eventManager'),
          data('filter', [data('entity', [refer('entity', entity), value('recursion', 'self')])]),
        );
      }
      await lab.write(0, 0, 65_536, 0x11);
      await ask(
        'QueryChangedDiskAreas',
        vm,
        refer('snapshot', snapshot),
        value('deviceKey', 2000),
        value('startOffset', 0),
        value('changeId', '*'),
      );
      await ask(
        'HasPrivilegeOnEntities',
        content.object('authorizationManager'),
        refer('entity', vm),
        value('sessionId', session.sessionKey ?? ''),
        value('privId', 'System.View'),
      );
      const lease = await session.callForObject('ExportSnapshot', snapshot, [], signal);
      const read = (object: { type: string; id: string }, ...paths: string[]) =>
        ask(
          'RetrievePropertiesEx',
          content.object('propertyCollector'),
          data('specSet', [
            data('propSet', [
              value('type', object.type),
              value('all', false),
              ...paths.map((path) => value('pathSet', path)),
            ]),
            data('objectSet', [refer('obj', object), value('skip', false)]),
          ]),
          data('options', []),
        );
      for (let count = 0; count < 3; count += 1) await read(lease, 'state', 'info');
      await read(vm, 'config.hardware.device', 'runtime.powerState', 'snapshot', 'recentTask');
      await read(snapshot, 'config.hardware.device');
      await session.close();
      await lab.platform.discardSnapshot(taken, undefined, signal);
      expect([...new Set(wrong)]).toEqual([]);
    } finally {
      await lab.close();
    }
  });

  /** What an answer has that the API's types do not allow, or in another order. */
  function misplaced(where: string, elements: readonly XmlElement[], type: string): string[] {
    if (!types.has(type)) return [];
    const members = types.members(type);
    let last = 0;
    const found = elements.flatMap((element) => {
      const at = members.findIndex(({ name }) => name === element.name);
      const member = members[at];
      if (member === undefined) return [`${where} has no ${element.name} (${type})`];
      const isLate = at < last;
      last = at;
      const inner =
        element.children.length === 0 || member.type === 'object'
          ? []
          : misplaced(`${where}.${element.name}`, element.children, typeOf(element) ?? member.type);
      return [...(isLate ? [`${where}.${element.name} stands behind what follows it (${type})`] : []), ...inner];
    });
    const lacking = members.filter(
      ({ name, isOptional, type: kind }) =>
        !isOptional && kind !== 'boolean' && !elements.some((element) => element.name === name),
    );
    return [...found, ...lacking.filter(({ isList }) => !isList).map(({ name }) => `${where} lacks ${name} (${type})`)];
  }
});
