import { readFileSync } from 'node:fs';
import type { DescriptionCheck } from '../cloud-kit/descriptions/description.ts';
import { typedDescription } from '../cloud-kit/descriptions/typed-models.ts';
import type { TypedModels, TypedOperation } from '../cloud-kit/descriptions/typed-models.ts';
import type { FaultPlan } from '../cloud-kit/faults.ts';
import type { CallRecord } from '../cloud-kit/http-server.ts';
import { jsonProtocol } from '../cloud-kit/json-protocol.ts';
import { startSimulation } from '../cloud-kit/start.ts';
import type { SimulationOptions } from '../cloud-kit/start.ts';
import * as compute from './compute-operations.ts';
import * as storage from './storage-operations.ts';
import { fileOf, refuse, World } from './world.ts';
import type { Operation, Setup } from './world.ts';

/** Where the types of the vendor's client are, as JSON, if the machine has them. They are not part of the project. */
export const typesVariable = 'CAUSEWAY_CLASSIC_CLOUD_TYPES';

export interface ClassicCloud {
  readonly url: string;
  readonly setup: Setup;
  readonly folder: string;
  /** Resources as they are; a test may look and may change. */
  readonly world: World;
  readonly faults: FaultPlan;
  /** Every call so far, in order. */
  readonly calls: readonly CallRecord[];
  /** What did not conform to the types; empty as well when there are none, see `conformance.active`. */
  readonly violations: readonly string[];
  readonly conformance: DescriptionCheck;
  /** What an endpoint's form takes. */
  connection(more?: object): object;
  /** The file behind a volume. */
  volumePath(name: string): string;
  close(): Promise<void>;
}

const security = (['seclist', 'seciplist', 'secapplication', 'secrule'] as const).flatMap((kind) => {
  const { list, get, create, delete: remove } = compute.securityOperations(kind);
  return [
    [`GET /${kind}/{d}/`, `${kind}.list`, list],
    [`GET /${kind}/{d}/{u}/{n}`, `${kind}.get`, get],
    [`POST /${kind}/`, `${kind}.create`, create],
    [`DELETE /${kind}/{d}/{u}/{n}`, `${kind}.delete`, remove],
  ] as const;
});

/** Routes, names of operations, and what they do. An instance's name has one part more than others, that of its attachment two. */
const table: readonly (readonly [string, string, Operation])[] = [
  ['POST /authenticate/', 'authenticate', compute.authenticate],
  ['GET /storage/volume/{d}/', 'volume.list', storage.listVolumes],
  ['GET /storage/volume/{d}/{u}/{n}', 'volume.get', storage.getVolume],
  ['POST /storage/volume/', 'volume.create', storage.createVolume],
  ['PUT /storage/volume/{d}/{u}/{n}', 'volume.update', storage.updateVolume],
  ['DELETE /storage/volume/{d}/{u}/{n}', 'volume.delete', storage.deleteVolume],
  ['GET /storage/snapshot/{d}/', 'snapshot.list', storage.listSnapshots],
  ['GET /storage/snapshot/{d}/{u}/{n}', 'snapshot.get', storage.getSnapshot],
  ['POST /storage/snapshot/', 'snapshot.create', storage.createSnapshot],
  ['DELETE /storage/snapshot/{d}/{u}/{n}', 'snapshot.delete', storage.deleteSnapshot],
  ['GET /storage/attachment/{d}/', 'attachment.list', storage.listAttachments],
  ['GET /storage/attachment/{d}/{u}/{n}/{i}/{a}', 'attachment.get', storage.getAttachment],
  ['POST /storage/attachment/', 'attachment.create', storage.attach],
  ['DELETE /storage/attachment/{d}/{u}/{n}/{i}/{a}', 'attachment.delete', storage.detach],
  ['GET /instance/{d}/', 'instance.list', compute.listInstances],
  ['GET /instance/{d}/{u}/{n}/{i}', 'instance.get', compute.getInstance],
  ['PUT /instance/{d}/{u}/{n}/{i}', 'instance.update', compute.updateInstance],
  ['DELETE /instance/{d}/{u}/{n}/{i}', 'instance.delete', compute.deleteInstance],
  ['POST /launchplan/', 'launchplan.create', compute.launch],
  ['GET /shape/', 'shape.list', compute.listShapes],
  ['GET /imagelist/{d}/', 'imagelist.list', compute.listImages],
  ['GET /imagelist/{d}/{u}/', 'imagelist.list', compute.listImages],
  ['GET /sshkey/{d}/', 'sshkey.list', compute.listKeys],
  ['GET /network/v1/ipnetwork/{d}/', 'ipnetwork.list', compute.listNetworks],
  ['GET /network/v1/vnic/{d}/', 'vnic.list', compute.listVnics],
  ['GET /network/v1/ipreservation/{d}/', 'ipreservation.list', compute.listReservations],
  ['GET /network/v1/ipreservation/{d}/{u}/{n}', 'ipreservation.get', compute.getReservation],
  ['POST /network/v1/ipreservation/', 'ipreservation.create', compute.createReservation],
  ['DELETE /network/v1/ipreservation/{d}/{u}/{n}', 'ipreservation.delete', compute.deleteReservation],
  ['GET /ip/association/{d}/', 'association.list', compute.listAssociations],
  ...security,
];

export const defaultShapes: Setup['shapes'] = [
  { name: 'oc3', cpus: 2, ram: 7680 },
  { name: 'oc4', cpus: 4, ram: 15_360 },
  { name: 'oc5', cpus: 8, ram: 30_720 },
  { name: 'oc1m', cpus: 2, ram: 15_360 },
];

/** Starts a site of its own on loopback, with one account. */
export async function startClassicCloud(options: SimulationOptions = {}): Promise<ClassicCloud> {
  const setup: Setup = {
    account: '/Compute-lab',
    user: 'me@example.com',
    password: 'a lab password',
    shapes: defaultShapes,
  };
  const { url, world, folder, faults, calls, check, violations, close } = await startSimulation(
    'classic-cloud',
    options,
    (ground) => {
      const made = new World(ground, setup);
      stock(made);
      return made;
    },
    (made) => ({
      protocol: jsonProtocol(Object.fromEntries(table.map(([route, id]) => [route, id])), {
        errorBody: ({ message }) => ({ message }),
      }),
      operations: Object.fromEntries(table.map(([, id, operation]) => [id, operation])),
      authenticate: ({ headers, raw }, operation) => compute.admitted(made, headers, operation, raw.length > 0),
      admit: (_world, { operation }) => {
        if (made.forbidden.has(operation)) throw refuse(403, 'Forbidden');
      },
      description: vendorTypes(),
      undescribed: [...new Set(table.map(([, id]) => id))].filter((id) => described[id] === undefined),
    }),
  );
  return {
    url,
    setup,
    folder,
    world,
    faults,
    calls,
    violations,
    close,
    conformance: check,
    connection: (more = {}) => ({
      identity_domain: 'lab',
      username: setup.user,
      password: setup.password,
      api_endpoint: url,
      ...more,
    }),
    volumePath: (name) => world.ground.files.path(fileOf(name)),
  };
}

/** What the account has from the start. */
function stock(world: World): void {
  for (const [name, ipAddressPrefix] of [
    ['production', '192.168.10.0/24'],
    ['backup', '192.168.20.0/24'],
  ] as const)
    world.networks.set(world.own(name), { name: world.own(name), ipAddressPrefix, description: '' });
  for (const [name, description] of [
    ['/oracle/public/OL_8.9_UEKR6_x86_64', 'Oracle Linux 8.9'],
    [world.own('Windows_2022'), 'Windows Server 2022'],
  ] as const) {
    world.images.set(name, {
      name,
      description,
      default: 1,
      entries: [{ version: 1, machineimages: [`${name}_image`] }],
    });
  }
  for (const [name, enabled] of [
    ['ops-key', true],
    ['old-key', false],
  ] as const)
    world.keys.set(world.own(name), { name: world.own(name), key: 'ssh-ed25519 AAAA lab', enabled });
}

/** What the types say of requests and answers. */
const described: Readonly<Record<string, TypedOperation>> = {
  authenticate: { request: 'AuthenticationReq' },
  'volume.list': { answer: 'StorageVolumeInfo', listIn: 'result' },
  'volume.get': { answer: 'StorageVolumeInfo' },
  'volume.create': { request: 'CreateStorageVolumeInput', answer: 'StorageVolumeInfo' },
  'volume.update': { request: 'UpdateStorageVolumeInput', answer: 'StorageVolumeInfo' },
  'volume.delete': {},
  'snapshot.list': { answer: 'StorageVolumeSnapshotInfo', listIn: 'result' },
  'snapshot.get': { answer: 'StorageVolumeSnapshotInfo' },
  'snapshot.create': { request: 'CreateStorageVolumeSnapshotInput', answer: 'StorageVolumeSnapshotInfo' },
  'snapshot.delete': {},
  'attachment.list': { answer: 'StorageAttachmentInfo', listIn: 'result' },
  'attachment.get': { answer: 'StorageAttachmentInfo' },
  'attachment.create': { request: 'CreateStorageAttachmentInput', answer: 'StorageAttachmentInfo' },
  'attachment.delete': {},
  'instance.list': { answer: 'InstanceInfo', listIn: 'result' },
  'instance.get': { answer: 'InstanceInfo' },
  'instance.update': { request: 'UpdateInstanceInput', answer: 'InstanceInfo' },
  'instance.delete': {},
  'launchplan.create': { request: 'LaunchPlanInput', answer: 'LaunchPlanResponse' },
  'imagelist.list': { answer: 'ImageList', listIn: 'result' },
  'sshkey.list': { answer: 'SSHKey', listIn: 'result' },
  'ipnetwork.list': { answer: 'IPNetworkInfo', listIn: 'result' },
  'vnic.list': { answer: 'VirtualNIC', listIn: 'result' },
  'ipreservation.list': { answer: 'IPAddressReservation', listIn: 'result' },
  'ipreservation.get': { answer: 'IPAddressReservation' },
  'ipreservation.create': { request: 'CreateIPAddressReservationInput', answer: 'IPAddressReservation' },
  'ipreservation.delete': {},
  'association.list': { answer: 'IPAssociationInfo', listIn: 'result' },
  ...(Object.fromEntries(
    Object.entries({
      seclist: 'SecurityList',
      seciplist: 'SecurityIPList',
      secapplication: 'SecurityApplication',
      secrule: 'SecRule',
    }).flatMap(([kind, type]) => [
      [`${kind}.list`, { answer: `${type}Info`, listIn: 'result' }],
      [`${kind}.get`, { answer: `${type}Info` }],
      [`${kind}.create`, { request: `Create${type}Input`, answer: `${type}Info` }],
      [`${kind}.delete`, {}],
    ]),
  ) as Readonly<Record<string, TypedOperation>>),
};

interface GoTypes {
  readonly types: Readonly<
    Record<
      string,
      {
        readonly fields: Readonly<
          Record<string, { readonly type: string; readonly omitempty: boolean; readonly doc?: string }>
        >;
      }
    >
  >;
  readonly enums: Readonly<Record<string, readonly string[]>>;
}

/** Members that the interface has and the client does not use, so that its types lack them. */
const unlisted: Readonly<Record<string, readonly string[]>> = {
  CreateInstanceInput: ['attributes'],
  IPAssociationInfo: ['ip'],
};

/** The types of the vendor's client in Go, in the form that the kit's description takes. Answers may leave out what is empty. */
function vendorTypes(): ReturnType<typeof typedDescription> | undefined {
  const path = process.env[typesVariable];
  if (path === undefined || path === '') return undefined;
  const { types, enums } = JSON.parse(readFileSync(path, 'utf8')) as GoTypes;
  const typeOf = (go: string): string => {
    const plain = go.replace(/^\*/, '');
    if (plain.startsWith('[]')) return `Array<${typeOf(plain.slice(2))}>`;
    const values = /^map\[string\](.+)$/.exec(plain)?.[1];
    if (values !== undefined) return `{ [key: string]: ${typeOf(values)} }`;
    return { bool: 'boolean', int: 'number', int64: 'number', float64: 'number' }[plain] ?? plain;
  };
  const models: TypedModels['models'] = {
    ...Object.fromEntries(Object.entries(enums).map(([name, values]) => [name, { kind: 'enum' as const, values }])),
    ...Object.fromEntries(
      Object.entries(types).map(([name, { fields }]) => [
        name,
        {
          kind: 'interface' as const,
          fields: {
            ...Object.fromEntries(
              Object.entries(fields).map(([field, { type, omitempty, doc = '' }]) => [
                field,
                { type: typeOf(type), optional: omitempty || !name.endsWith('Input') || /optional/i.test(doc) },
              ]),
            ),
            ...Object.fromEntries((unlisted[name] ?? []).map((field) => [field, { type: 'unlisted', optional: true }])),
          },
        },
      ]),
    ),
  };
  return typedDescription({ models }, described);
}
