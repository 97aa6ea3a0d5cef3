import { expect, test } from 'vitest';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Transport } from '../../../http/transport.ts';
import { createHastyClock } from '../../../time/testing/hasty-clock.ts';
import { VimSession } from '../client/session.ts';
import { listVms } from './inventory.ts';
import type { SourceContext } from './source-context.ts';

const signal = new AbortController().signal;
const count = 10_000;
const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

const set = (name: string, val: string, attributes = ''): string =>
  `<propSet><name>${name}</name><val ${attributes}>${val}</val></propSet>`;
const object = (type: string, id: string, ...sets: readonly string[]): string =>
  `<objects><obj type="${type}">${id}</obj>${sets.join('')}</objects>`;
const disk =
  '<VirtualDevice xsi:type="ParaVirtualSCSIController"><key>1000</key><busNumber>0</busNumber></VirtualDevice><VirtualDevice xsi:type="VirtualDisk"><key>2000</key><backing xsi:type="VirtualDiskFlatVer2BackingInfo"><fileName>[ds] a/a.vmdk</fileName><diskMode>persistent</diskMode></backing><controllerKey>1000</controllerKey><unitNumber>0</unitNumber><capacityInKB>1024</capacityInKB></VirtualDevice>';
const inventoryOf = (vms: number): readonly string[] => [
  object('Datacenter', 'dc-1', set('name', 'DC0')),
  object('Folder', 'group-v1', set('name', 'vm'), set('parent', 'dc-1', 'type="Datacenter"')),
  object('Folder', 'group-v2', set('name', 'production'), set('parent', 'group-v1', 'type="Folder"')),
  object('ComputeResource', 'domain-c1', set('name', 'Cluster A')),
  object('HostSystem', 'host-1', set('name', 'esx-1'), set('parent', 'domain-c1', 'type="ClusterComputeResource"')),
  ...Array.from({ length: vms }, (_, index) =>
    object(
      'VirtualMachine',
      `vm-${index}`,
      set('name', `web-${index}`),
      set('parent', 'group-v2', 'type="Folder"'),
      set('runtime.host', 'host-1', 'type="HostSystem"'),
      set('runtime.powerState', 'poweredOn'),
      set('config.guestFullName', 'Debian GNU/Linux 12 (64-bit)'),
      set('config.hardware.device', disk),
    ),
  ),
];

/** A management server that gives its inventory in pages. `ends` says before which page the session ends. */
function server(vms: number, ends?: number) {
  const inventory = inventoryOf(vms);
  const asked: string[] = [];
  const pages: number[] = [];
  let logins = 0;
  const transport: Transport = {
    async send({ body = '' }) {
      const method = /<soapenv:Body><(\w+)/.exec(body)?.[1] ?? '';
      asked.push(method);
      const page = (from: number, most: number): string => {
        const next = from + most;
        pages.push(from);
        return `<returnval>${next < inventory.length ? `<token>session-${logins}-${next}</token>` : ''}${inventory.slice(from, next).join('')}</returnval>`;
      };
      const [, session, from] = /<token>session-(\d+)-(\d+)</.exec(body) ?? [];
      const most = Number(/<maxObjects>(\d+)</.exec(body)?.[1] ?? 250);
      const fault = (type: string) =>
        answer(
          500,
          `<soapenv:Fault><faultstring>no</faultstring><detail><${type}Fault xsi:type="${type}"/></detail></soapenv:Fault>`,
        );
      if (method === 'ContinueRetrievePropertiesEx' && pages.length === ends) {
        ends = undefined;
        return fault('NotAuthenticated');
      }
      if (method === 'ContinueRetrievePropertiesEx' && Number(session) !== logins) return fault('InvalidProperty');
      if (method === 'RetrievePropertiesEx' && !body.includes(`>view-${logins}<`))
        return fault('ManagedObjectNotFound');
      const answers: Record<string, () => string> = {
        RetrieveServiceContent: () =>
          '<returnval><rootFolder type="Folder">group-d1</rootFolder><about><fullName>Lab</fullName><apiType>VirtualCenter</apiType><apiVersion>8.0.1.0</apiVersion></about><sessionManager type="SessionManager">s</sessionManager><viewManager type="ViewManager">v</viewManager><propertyCollector type="PropertyCollector">p</propertyCollector></returnval>',
        Login: () => `<returnval><key>key-${(logins += 1)}</key></returnval>`,
        CreateContainerView: () => `<returnval type="ContainerView">view-${logins}</returnval>`,
        RetrievePropertiesEx: () => page(0, most),
        ContinueRetrievePropertiesEx: () => page(Number(from), most),
      };
      return answer(
        200,
        `<${method}Response>${answers[method]?.() ?? ''}</${method}Response>`,
        method === 'Login' ? { 'set-cookie': `vmware_soap_session="s${logins}"; Path=/` } : {},
      );
    },
    close: () => undefined,
  };
  const answer = (status: number, inner: string, headers: Record<string, string> = {}) => ({
    status,
    headers: new Headers(headers),
    bytes: Buffer.from(
      `<soapenv:Envelope xmlns:soapenv="s" ${xsi}><soapenv:Body>${inner}</soapenv:Body></soapenv:Envelope>`,
    ),
  });
  const session = new VimSession({
    host: 'vc.example.com',
    port: 443,
    username: 'u',
    password: 'p',
    transport,
    clock: createHastyClock(),
    random: () => 0,
    backOff: { attempts: 3, firstMs: 1, capMs: 1 },
  });
  let tagged: readonly string[] = [];
  const context = (refuses: boolean) =>
    ({
      session,
      readTags: async (ids: readonly string[]) => {
        tagged = ids;
        if (refuses) throw new CausewayError('source.unsupported', 'no service for tags');
        return new Map([['vm-7', ['Environment: production']]]);
      },
    }) as unknown as SourceContext;
  return { list: (refuses = false) => listVms(context(refuses), signal), asked, pages, tagged: () => tagged };
}

test('10,000 VMs are listed page by page, each once, with folder, cluster and tags', async () => {
  const { list, asked, pages, tagged } = server(count);
  const vms = await list();
  expect(new Set(vms.map(({ id }) => id)).size).toBe(count);
  expect(vms).toHaveLength(count);
  expect(vms[7]).toEqual({
    id: 'vm-7',
    name: 'web-7',
    os_type: 'linux',
    power: 'running',
    diskCount: 1,
    totalBytes: 2 ** 20,
    folder: 'DC0/production',
    cluster: 'Cluster A',
    tags: ['Environment: production'],
  });
  expect(vms.at(-1)).toEqual({
    id: `vm-${count - 1}`,
    name: `web-${count - 1}`,
    os_type: 'linux',
    power: 'running',
    diskCount: 1,
    totalBytes: 2 ** 20,
    folder: 'DC0/production',
    cluster: 'Cluster A',
  });
  expect(pages).toEqual(Array.from({ length: Math.ceil(inventoryOf(count).length / 250) }, (_, index) => index * 250));
  expect(asked.filter((method) => method === 'DestroyView')).toHaveLength(1);
  expect(tagged()).toHaveLength(count);
});

test('a session that ends between two pages leaves nothing out, and nothing twice; tags that cannot be read keep nobody from the list', async () => {
  const { list, asked } = server(2000, 7);
  const vms = await list(true);
  expect(vms).toHaveLength(2000);
  expect(new Set(vms.map(({ id }) => id)).size).toBe(2000);
  expect(vms.every(({ tags }) => tags === undefined)).toBe(true);
  expect(asked.filter((method) => method === 'Login')).toHaveLength(2);
});
