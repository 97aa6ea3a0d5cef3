import { randomUUID } from 'node:crypto';
import { created, noContent, ok } from '../cloud-kit/call.ts';
import { attachable, machineVolume } from './storage-operations.ts';
import { conflict, demand, fileOf, invalid, listReply, machineOf, newMac, newName, refuse, text } from './world.ts';
import type { Call, InstanceRecord, NicRecord, Operation, SecurityRecord, World } from './world.ts';

type Body = Readonly<Record<string, unknown>>;
const mediaType = 'application/oracle-compute-v3+json';

export const authenticate: Operation = ({ world, body }) => {
  const { account, user, password } = world.setup;
  if (body['user'] !== `${account}/${user}` || body['password'] !== password)
    throw refuse(401, 'Incorrect username or password');
  const cookie = `nimbula=${randomUUID()}`;
  world.sessions.set(cookie, world.ground.clock.now());
  return {
    status: 204,
    headers: {
      'set-cookie': [`${cookie}; Path=/; Max-Age=1800; Expires=Thu, 01 Jan 2099 00:00:00 GMT`, 'lb=a1; Path=/'],
    },
  };
};

const sessionMs = 30 * 60_000;

/** Refuses requests without a session, and those in another media type than the interface's. */
export function admitted(
  world: World,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  operation: string,
  hasBody: boolean,
): void {
  if (headers['accept'] !== mediaType) throw refuse(406, 'Not acceptable');
  if (hasBody && headers['content-type'] !== mediaType) throw refuse(415, 'Unsupported media type');
  if (operation === 'authenticate') return;
  const cookies = String(headers['cookie'] ?? '').split('; ');
  const since = cookies.map((cookie) => world.sessions.get(cookie)).find((at) => at !== undefined);
  if (since === undefined || world.ground.clock.now() - since > sessionMs) throw refuse(401, 'Unauthorized');
}

const shown = (world: World, { script: _, ...instance }: InstanceRecord): object => ({
  ...instance,
  availability_domain: '/lab/ad1',
  domain: 'compute-lab.oraclecloud.internal.',
  fingerprint: '',
  image_format: 'raw',
  placement_requirements: [],
  priority: '/oracle/public/default',
  quota_reservation: null,
  relationships: [],
  resolvers: null,
  site: '',
  start_time: '2026-01-01T00:00:00Z',
  vnc: '',
  reverse_dns: true,
  storage_attachments: world
    .attachmentsOf(instance.name)
    .map(({ index, name, storage_volume_name }) => ({ index, name, storage_volume_name })),
});

export const listInstances: Operation = (call) =>
  listReply(call, call.world.instances.listed(), (one) => shown(call.world, one));
export const getInstance: Operation = (call) => ok(shown(call.world, demand(call.world.instances, call)));

export const launch: Operation = (call) => {
  const instances = (call.body['instances'] ?? []) as readonly Body[];
  if (instances.length === 0) throw invalid('instances is required');
  const plans = instances.map((body) => planned({ ...call, body }));
  return created({ instances: plans.map((instance) => shown(call.world, instance)) });
};

function planned(call: Call): InstanceRecord {
  const { world, body } = call;
  const prefix = newName(call, new Map());
  if (!world.setup.shapes.some(({ name }) => name === body['shape']))
    throw invalid(`No such shape ${String(body['shape'])}`);
  const attachments = (body['storage_attachments'] ?? []) as readonly {
    readonly index: number;
    readonly volume: string;
  }[];
  if (attachments.length > 10 || attachments.some(({ index }) => index < 1 || index > 10))
    throw invalid('storage_attachments: index must be from 1 to 10');
  const volumes = attachments.map(({ index, volume }) => ({ index, volume: attachable(world, volume) }));
  const [boot] = (body['boot_order'] ?? []) as readonly number[];
  const bootVolume = volumes.find(({ index }) => index === boot)?.volume;
  if (boot !== undefined && bootVolume === undefined) throw invalid(`boot_order: no volume has index ${boot}`);
  if (bootVolume !== undefined && !bootVolume.bootable) throw invalid('boot_order: the volume is not bootable');
  const image =
    boot === undefined ? world.images.demand(text(body, 'imagelist'), (what) => invalid(`No such ${what}`)) : undefined;
  for (const key of (body['sshkeys'] ?? []) as readonly string[])
    if (world.keys.get(key)?.enabled !== true) throw invalid(`No such SSH key ${key}`);
  const networking = networkingOf(world, (body['networking'] ?? {}) as Readonly<Record<string, NicRecord>>);
  const [usesShared, id] = [Object.values(networking).some(({ model }) => model === 'e1000'), randomUUID()];
  const used = new Set([...world.associations.values()].map(({ ip }) => ip));
  const attributes = body['attributes'] as
    | { readonly userdata?: { readonly 'pre-bootstrap'?: { readonly script?: readonly string[] } } }
    | undefined;
  const instance: InstanceRecord = {
    name: `${prefix}/${id}`,
    label: text(body, 'label'),
    hostname: String(body['hostname'] ?? ''),
    shape: String(body['shape']),
    state: 'queued',
    desired_state: 'running',
    error_reason: '',
    imagelist: image?.name ?? '',
    ...(image === undefined ? {} : { entry: Number(body['entry'] ?? image.default) }),
    boot_order: boot === undefined ? [] : [boot],
    networking,
    sshkeys: (body['sshkeys'] ?? []) as readonly string[],
    tags: (body['tags'] ?? []) as readonly string[],
    vcable_id: usesShared ? world.own(`vcable-${id}`) : '',
    ip: usesShared ? `10.196.0.${10 + world.instances.size}` : '0.0.0.0',
    platform: 'linux',
    script: attributes?.userdata?.['pre-bootstrap']?.script ?? [],
  };
  world.instances.set(instance.name, instance);
  for (const { index, volume } of volumes) world.bind(instance, volume.name, index, 'attached', true);
  for (const nic of Object.values(networking))
    if (nic.vnic !== undefined)
      world.vnics.set(nic.vnic, { name: nic.vnic, macAddress: newMac(), instance: instance.name });
  const address = Object.values(networking).some(({ nat }) => nat?.includes('ippool:/oracle/public/ippool'))
    ? world.ground.publicAddresses.find((one) => !used.has(one))
    : undefined;
  if (address !== undefined)
    world.associations.set(world.own(id), {
      name: world.own(id),
      vcable: instance.vcable_id,
      ip: address,
      parentpool: 'ippool:/oracle/public/ippool',
      reservation: '',
    });
  world.transition({
    fault: call.fault,
    work: () =>
      world.ground.machines.start({
        serverId: machineOf(instance.name),
        name: instance.hostname,
        vcpus: 1,
        memoryMiB: 1024,
        userData: userDataOf(instance.script),
        boot:
          bootVolume === undefined || bootVolume.imagelist !== undefined
            ? { kind: 'image', imageName: image?.name ?? bootVolume?.imagelist ?? '' }
            : {
                kind: 'volume',
                volumeId: bootVolume.name,
                path: world.ground.files.path(fileOf(bootVolume.name)),
                firmware: 'bios',
                diskBus: 'ide',
                configDrive: false,
              },
        dataVolumes: world
          .attachmentsOf(instance.name)
          .filter((one) => one.index !== boot)
          .map((one) => machineVolume(world, one)),
        nics: Object.values(networking).map((nic) => ({
          mac: world.vnics.get(nic.vnic ?? '')?.macAddress ?? newMac(),
          ipv4: nic.ip ?? instance.ip,
        })),
      }),
    succeed: () => {
      if (instance.state === 'queued') instance.state = 'running';
      world.exposeLater();
    },
    fail: (reason) => {
      Object.assign(instance, { state: 'error', error_reason: reason });
    },
  });
  return instance;
}

function networkingOf(world: World, given: Readonly<Record<string, NicRecord>>): Readonly<Record<string, NicRecord>> {
  if (Object.keys(given).length === 0) throw invalid('networking is required');
  return Object.fromEntries(
    Object.entries(given).map(([name, nic], index): [string, NicRecord] => {
      if (!/^eth[0-7]$/.test(name)) throw invalid(`networking: ${name} is not an interface`);
      if (nic.ipnetwork === undefined) {
        if (nic.model !== 'e1000')
          throw invalid(`networking: ${name} is on the shared network, and needs the model e1000`);
        for (const list of nic.seclists ?? [])
          world.security.seclist.demand(list, (what) => invalid(`No such ${what} ${list}`));
        return [name, nic];
      }
      const network = world.networks.demand(nic.ipnetwork, (what) => invalid(`No such ${what} ${nic.ipnetwork ?? ''}`));
      for (const nat of nic.nat ?? [])
        world.reservations.demand(nat.replace('network/v1/ipreservation:', ''), (what) =>
          invalid(`No such ${what} ${nat}`),
        );
      return [
        name,
        { ...nic, ip: network.ipAddressPrefix.replace(/\d+\/\d+$/, String(20 + index + world.instances.size)) },
      ];
    }),
  );
}

/** What the image's initialization makes of the script: its files, as the lab's workers take them. */
function userDataOf(script: readonly string[]): string {
  const files = script.flatMap((line) => {
    const [, mode, path = '', content = ''] = /^put (\d+) "([^"]+)" (\S+)$/.exec(line) ?? [];
    return mode === undefined ? [] : [{ path, mode, content: Buffer.from(content, 'base64').toString('utf8') }];
  });
  const user = script.flatMap((line) => /useradd -m -s \/bin\/sh (\S+)$/.exec(line)?.[1] ?? [])[0];
  if (user === undefined) return '';
  const file = (path: string): string => files.find((one) => one.path === path)?.content ?? '';
  const config = {
    users: [
      {
        name: user,
        sudo: file('/etc/sudoers.d/90-causeway').replace(/^\S+ /, '').trim(),
        shell: '/bin/sh',
        ssh_authorized_keys: file('$home/.ssh/authorized_keys').trim().split('\n'),
      },
    ],
    ssh_keys: {
      ed25519_private: file('/etc/ssh/ssh_host_ed25519_key'),
      ed25519_public: file('/etc/ssh/ssh_host_ed25519_key.pub').trim(),
    },
    write_files: files
      .filter(({ path }) => path.startsWith('/etc/udev/'))
      .map(({ path, mode, content }) => ({ path, permissions: mode, content })),
  };
  return `#cloud-config\n${JSON.stringify(config)}\n`;
}

export const updateInstance: Operation = (call) => {
  const { world, body } = call;
  const instance = demand(world.instances, call);
  instance.desired_state = String(body['desired_state'] ?? instance.desired_state);
  if (instance.desired_state === 'shutdown' && instance.state === 'running') {
    instance.state = 'stopping';
    world.transition({
      fault: call.fault,
      work: () => world.ground.machines.stop(machineOf(instance.name)),
      succeed: () => {
        instance.state = 'shutdown';
      },
      fail: () => {
        instance.state = 'running';
      },
    });
  }
  return ok(shown(world, instance));
};

export const deleteInstance: Operation = (call) => {
  const { world } = call;
  const instance = demand(world.instances, call);
  if (instance.state === 'stopping') return noContent();
  if (instance.state === 'queued') throw conflict('The instance is being created');
  const before = instance.state;
  instance.state = 'stopping';
  world.transition({
    fault: call.fault,
    work: () => world.ground.machines.stop(machineOf(instance.name)),
    succeed: () => {
      world.instances.delete(instance.name);
      for (const one of world.attachmentsOf(instance.name)) world.attachments.delete(one.name);
      for (const one of world.associations.values())
        if (one.vcable === instance.vcable_id) world.associations.delete(one.name);
      for (const one of world.vnics.values()) if (one.instance === instance.name) world.vnics.delete(one.name);
      world.exposeLater();
    },
    fail: () => {
      instance.state = before;
    },
  });
  return noContent();
};

export const listShapes: Operation = ({ world }) => ok({ result: world.setup.shapes });
export const listImages: Operation = (call) => listReply(call, call.world.images.listed());
export const listKeys: Operation = (call) => listReply(call, call.world.keys.listed());
export const listNetworks: Operation = (call) => listReply(call, call.world.networks.listed());
export const listVnics: Operation = (call) =>
  listReply(call, call.world.vnics.listed(), ({ name, macAddress }) => ({
    name,
    macAddress,
    description: '',
    tags: [],
    transitFlag: false,
    uri: '',
  }));
export const listAssociations: Operation = (call) => listReply(call, call.world.associations.listed());
export const listReservations: Operation = (call) => listReply(call, call.world.reservations.listed());
export const getReservation: Operation = (call) => ok({ ...demand(call.world.reservations, call) });

export const createReservation: Operation = (call) => {
  const { world, body } = call;
  const name = newName(call, world.reservations);
  if (body['ipAddressPool'] !== '/oracle/public/public-ippool') throw invalid('No such IP address pool');
  const reservation = {
    name,
    description: String(body['description'] ?? ''),
    ipAddress: `203.0.113.${10 + world.reservations.size}`,
    ipAddressPool: '/oracle/public/public-ippool',
    tags: (body['tags'] ?? []) as readonly string[],
  };
  world.reservations.set(name, reservation);
  return created({ ...reservation });
};

export const deleteReservation: Operation = (call) => {
  const { world } = call;
  const reservation = demand(world.reservations, call);
  const isUsed = [...world.instances.values()].some((one) =>
    Object.values(one.networking).some(
      ({ nat }) => nat?.includes(`network/v1/ipreservation:${reservation.name}`) === true,
    ),
  );
  if (isUsed) throw conflict('The reservation is in use');
  world.reservations.delete(reservation.name);
  return noContent();
};

type Kind = keyof World['security'];

/** List, read, create and delete of one kind of what lets somebody in. */
export function securityOperations(kind: Kind): Readonly<Record<'list' | 'get' | 'create' | 'delete', Operation>> {
  return {
    list: (call) => listReply(call, call.world.security[kind].listed()),
    get: (call) => ok({ ...demand(call.world.security[kind], call) }),
    create(call) {
      const { world, body } = call;
      const record: SecurityRecord = {
        ...body,
        name: newName(call, world.security[kind]),
        description: String(body['description'] ?? ''),
      };
      if (kind === 'secrule') {
        for (const [field, known] of [
          ['dst_list', world.security.seclist],
          ['src_list', world.security.seciplist],
        ] as const) {
          const name = text(body, field).replace(/^sec(?:ip)?list:/, '');
          if (!known.has(name)) throw invalid(`${field}: no such list ${name}`);
        }
        const application = text(body, 'application');
        if (application !== '/oracle/public/ssh' && !world.security.secapplication.has(application))
          throw invalid(`No such security application ${application}`);
      }
      world.security[kind].set(record.name, record);
      world.exposeLater();
      return created({ ...record });
    },
    delete(call) {
      const { world } = call;
      const { name } = demand(world.security[kind], call);
      const rules = [...world.security.secrule.values()];
      if (
        kind !== 'secrule' &&
        rules.some((rule) =>
          [
            rule['application'],
            String(rule['dst_list']).replace('seclist:', ''),
            String(rule['src_list']).replace('seciplist:', ''),
          ].includes(name),
        )
      )
        throw conflict(`${name} is in use by a security rule`);
      if (
        kind === 'seclist' &&
        [...world.instances.values()].some((one) =>
          Object.values(one.networking).some(({ seclists }) => seclists?.includes(name) === true),
        )
      )
        throw conflict(`${name} is in use by an instance`);
      world.security[kind].delete(name);
      world.exposeLater();
      return noContent();
    },
  };
}
