import { randomBytes, randomUUID } from 'node:crypto';
import { ApiError } from '../cloud-kit/call.ts';
import type { Call as KitCall, Operation as KitOperation, Reply } from '../cloud-kit/call.ts';
import type { Collection } from '../cloud-kit/collection.ts';
import type { Exposure } from '../cloud-kit/server-machines.ts';
import { SimulatedWorld } from '../cloud-kit/start.ts';
import type { Ground } from '../cloud-kit/start.ts';

/** The simulator's resources. Field names are the API's; sizes are bytes as text. */
export interface VolumeRecord {
  readonly name: string;
  size: string;
  status: string;
  status_detail: string;
  properties: readonly string[];
  readonly bootable: boolean;
  description: string;
  tags: readonly string[];
  readonly imagelist?: string;
  readonly snapshot_id?: string;
  readonly platform: string;
}

export interface SnapshotRecord {
  readonly name: string;
  readonly snapshot_id: string;
  readonly volume: string;
  readonly property: string;
  readonly size: string;
  readonly parent_volume_bootable: string;
  status: string;
  readonly tags: readonly string[];
}

export interface NicRecord {
  readonly model?: string;
  readonly seclists?: readonly string[];
  readonly ipnetwork?: string;
  readonly vnic?: string;
  readonly nat?: readonly string[];
  readonly ip?: string;
  readonly is_default_gateway?: boolean;
}

export interface InstanceRecord {
  readonly name: string;
  readonly label: string;
  readonly hostname: string;
  readonly shape: string;
  state: string;
  desired_state: string;
  error_reason: string;
  readonly imagelist: string;
  readonly entry?: number;
  readonly boot_order: readonly number[];
  readonly networking: Readonly<Record<string, NicRecord>>;
  readonly sshkeys: readonly string[];
  readonly tags: readonly string[];
  readonly vcable_id: string;
  readonly ip: string;
  readonly platform: string;
  /** The lines that the image's initialization runs. */
  readonly script: readonly string[];
}

export interface AttachmentRecord {
  readonly name: string;
  readonly index: number;
  readonly instance_name: string;
  readonly storage_volume_name: string;
  state: string;
  /** Of the launch plan: it stays as long as the instance. */
  readonly isFixed: boolean;
}

/** A security list, a list of addresses, an application or a rule. */
export type SecurityRecord = { readonly name: string; readonly description: string } & Readonly<
  Record<string, unknown>
>;

export interface ReservationRecord {
  readonly name: string;
  readonly description: string;
  readonly ipAddress: string;
  readonly ipAddressPool: string;
  readonly tags: readonly string[];
}

export interface Setup {
  readonly account: string;
  readonly user: string;
  readonly password: string;
  readonly shapes: readonly { readonly name: string; readonly cpus: number; readonly ram: number }[];
}

export type Call = KitCall<World>;
export type Operation = KitOperation<World>;

/** The account's objects, by their whole names. */
export class World extends SimulatedWorld {
  readonly setup: Setup;
  /** Cookies, and when their sessions began. */
  readonly sessions = new Map<string, number>();
  /** Operations that the user has no right to. */
  readonly forbidden = new Set<string>();
  readonly volumes = this.collection<VolumeRecord>('storage volume');
  readonly snapshots = this.collection<SnapshotRecord>('storage snapshot');
  readonly attachments = this.collection<AttachmentRecord>('storage attachment');
  readonly instances = this.collection<InstanceRecord>('instance');
  readonly reservations = this.collection<ReservationRecord>('IP address reservation');
  readonly networks = this.collection<{
    readonly name: string;
    readonly ipAddressPrefix: string;
    readonly description: string;
  }>('IP network');
  readonly images = this.collection<{
    readonly name: string;
    readonly description: string;
    readonly default: number;
    readonly entries: readonly object[];
  }>('image list');
  readonly keys = this.collection<{ readonly name: string; readonly key: string; readonly enabled: boolean }>(
    'SSH key',
  );
  readonly associations = this.collection<{
    readonly name: string;
    readonly vcable: string;
    readonly ip: string;
    readonly parentpool: string;
    readonly reservation: string;
  }>('IP association');
  readonly vnics = this.collection<{ readonly name: string; readonly macAddress: string; readonly instance: string }>(
    'VNIC',
  );
  readonly security = {
    seclist: this.collection<SecurityRecord>('security list'),
    seciplist: this.collection<SecurityRecord>('security IP list'),
    secapplication: this.collection<SecurityRecord>('security application'),
    secrule: this.collection<SecurityRecord>('security rule'),
  };

  constructor(ground: Ground, setup: Setup) {
    super(ground);
    this.setup = setup;
  }

  /** Ends all sessions: the next request is refused. */
  expireSessions(): void {
    this.sessions.clear();
  }

  own(name: string): string {
    return `${this.setup.account}/${this.setup.user}/${name}`;
  }

  /** A volume of the account itself. Size in bytes. */
  async addVolume(name: string, bytes: number, more: Partial<VolumeRecord> = {}): Promise<VolumeRecord> {
    const volume: VolumeRecord = {
      name: this.own(name),
      size: String(bytes),
      status: 'Online',
      status_detail: '',
      properties: ['/oracle/public/storage/default'],
      bootable: false,
      description: '',
      tags: [],
      platform: 'linux',
      ...more,
    };
    this.volumes.set(volume.name, volume);
    await this.ground.files.createBlank(fileOf(volume.name), bytes);
    return volume;
  }

  /** An instance of the account itself, from volumes; the first one boots. */
  addInstance(name: string, volumes: readonly VolumeRecord[], more: Partial<InstanceRecord> = {}): InstanceRecord {
    const instance: InstanceRecord = {
      name: `${this.own(name)}/${randomUUID()}`,
      label: name,
      hostname: name,
      shape: 'oc3',
      state: 'running',
      desired_state: 'running',
      error_reason: '',
      imagelist: '',
      boot_order: [1],
      networking: { eth0: { ipnetwork: this.own('production'), vnic: this.own(`${name}_eth0`), ip: '192.168.10.5' } },
      sshkeys: [],
      tags: ['team: web'],
      vcable_id: this.own(randomUUID()),
      ip: '0.0.0.0',
      platform: 'linux',
      script: [],
      ...more,
    };
    this.instances.set(instance.name, instance);
    this.vnics.set(this.own(`${name}_eth0`), {
      name: this.own(`${name}_eth0`),
      macAddress: 'c6:b0:00:00:00:01',
      instance: instance.name,
    });
    for (const [at, volume] of volumes.entries()) this.bind(instance, volume.name, at + 1, 'attached', at === 0);
    return instance;
  }

  bind(instance: InstanceRecord, volume: string, index: number, state: string, isFixed: boolean): AttachmentRecord {
    const attachment: AttachmentRecord = {
      name: `${instance.name}/${randomUUID()}`,
      index,
      instance_name: instance.name,
      storage_volume_name: volume,
      state,
      isFixed,
    };
    this.attachments.set(attachment.name, attachment);
    return attachment;
  }

  attachmentsOf(instance: string): AttachmentRecord[] {
    return [...this.attachments.values()]
      .filter((one) => one.instance_name === instance)
      .sort((a, b) => a.index - b.index);
  }

  /** Resources that Causeway made and nobody removed, as `kind name`, for tests that demand a clean end. */
  leftovers(): string[] {
    const marked = ({ tags }: { readonly tags: readonly string[] }): boolean => tags.includes('managed-by=causeway');
    const short = (name: string): string => name.split('/')[3] ?? name;
    return [
      ...[...this.instances.values()].filter(marked).map(({ name }) => `server ${short(name)}`),
      ...[...this.volumes.values()].filter(marked).map(({ name }) => `volume ${short(name)}`),
      ...[...this.snapshots.values()].filter(marked).map(({ name }) => `snapshot ${short(name)}`),
      ...[...this.reservations.values()].filter(marked).map(({ name }) => `public-ip ${short(name)}`),
      ...Object.entries(this.security).flatMap(([kind, all]) =>
        [...all.values()]
          .filter(({ description }) => description.includes('managed-by=causeway'))
          .map(({ name }) => `${kind === 'seclist' ? 'security-group' : kind} ${short(name)}`),
      ),
    ];
  }

  /** Brings the machines' reachable addresses in line with the records. What goes wrong is told on the error stream. */
  exposeLater(): void {
    this.ground.machines.expose(exposures(this)).catch((error: unknown) => {
      process.stderr.write(`the lab's addresses could not be brought up: ${String(error)}\n`);
    });
  }
}

function exposures(world: World): readonly Exposure[] {
  return [...world.instances.values()].flatMap((instance) => {
    const address = [...world.associations.values()].find(({ vcable }) => vcable === instance.vcable_id)?.ip;
    if (address === undefined || instance.state !== 'running') return [];
    const lists = Object.values(instance.networking).flatMap(({ seclists }) => seclists ?? []);
    const ingress = [...world.security.secrule.values()]
      .filter((rule) => lists.includes(String(rule['dst_list']).replace('seclist:', '')))
      .flatMap((rule) => {
        const application = String(rule['application']);
        const port =
          application === '/oracle/public/ssh' ? 22 : Number(world.security.secapplication.get(application)?.['dport']);
        const entries = (world.security.seciplist.get(String(rule['src_list']).replace('seciplist:', ''))?.[
          'secipentries'
        ] ?? []) as readonly string[];
        return entries.map((cidr) => ({ cidr, minPort: port, maxPort: port }));
      });
    return [{ address, serverId: machineOf(instance.name), ingress }];
  });
}

/** The file and the machine behind a name. */
export const fileOf = (name: string): string => name.split('/').slice(-1)[0] ?? name;
export const machineOf = fileOf;

export const newMac = (): string => ['c6', 'b0', ...(randomBytes(4).toString('hex').match(/../g) ?? [])].join(':');
export const refuse = (status: number, message: string): ApiError => new ApiError(status, message);
export const conflict = (message: string): ApiError => refuse(409, message);
export const invalid = (message: string): ApiError => refuse(400, message);

/** The whole name that a path ends with. */
export const nameOf = ({ params }: Pick<Call, 'params'>): string =>
  ['d', 'u', 'n', 'i', 'a'].flatMap((part) => params[part] ?? []).reduce((name, part) => `${name}/${part}`, '');

export function demand<R extends object>(collection: Collection<R>, call: Pick<Call, 'params'>): R {
  return collection.demand(nameOf(call), (what) => refuse(404, `No such ${what} ${nameOf(call)}`));
}

export function text(body: Readonly<Record<string, unknown>>, field: string): string {
  const value = body[field];
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(`${field} is required`);
}

/** A new object's name: of three parts, the user's own, and nobody else's. */
export function newName({ world, body }: Call, collection: ReadonlyMap<string, object>): string {
  const name = text(body, 'name');
  if (!name.startsWith(world.own('')) || !/^[A-Za-z0-9_.-]+$/.test(name.slice(world.own('').length)))
    throw invalid(`${name} is not a valid name: it has to be /Compute-identity_domain/user/object`);
  if (collection.has(name)) throw conflict(`${name} already exists`);
  return name;
}

/** Those in a container, whole. */
export function listReply<R extends { readonly name: string }>(
  call: Call,
  items: readonly R[],
  show: (item: R) => object = (item) => ({ ...item }),
): Reply {
  const container = `${nameOf(call)}/`;
  return { status: 200, body: { result: items.filter(({ name }) => name.startsWith(container)).map(show) } };
}
