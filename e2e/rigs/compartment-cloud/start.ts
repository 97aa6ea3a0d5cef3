import { generateKeyPairSync, createHash, createPublicKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DescriptionCheck } from '../cloud-kit/descriptions/description.ts';
import { typedDescription } from '../cloud-kit/descriptions/typed-models.ts';
import type { TypedModels, TypedOperation } from '../cloud-kit/descriptions/typed-models.ts';
import type { FaultPlan } from '../cloud-kit/faults.ts';
import type { CallRecord } from '../cloud-kit/http-server.ts';
import { startSimulation } from '../cloud-kit/start.ts';
import type { SimulationOptions } from '../cloud-kit/start.ts';
import { defaultDomains, defaultLimits, defaultShapes } from './catalogue.ts';
import { operationIds, operations, protocol } from './operations/all.ts';
import type { ImageRecord, ShapeRecord } from './records.ts';
import { SignatureCheck } from './signature-check.ts';
import { refuse, World } from './world.ts';

/** Where the models of the vendor's SDK are, if the machine has them. They are not part of the project. */
export const modelsVariable = 'CAUSEWAY_COMPARTMENT_CLOUD_MODELS';

export interface CompartmentCloudOptions extends SimulationOptions {
  readonly region?: string;
  readonly shapes?: readonly ShapeRecord[];
  readonly limits?: Readonly<Record<string, number>>;
  /** Where attachments by iSCSI have their targets. Default: an address of its own for each, at which nothing is. */
  readonly portal?: { readonly ipv4: string; readonly port: number };
}

export interface CompartmentCloud {
  readonly url: string;
  readonly tenancy: string;
  readonly user: string;
  readonly region: string;
  /** The compartments beside the root: one for migrations, one for networks. */
  readonly compartment: string;
  readonly networkCompartment: string;
  readonly privateKey: string;
  readonly fingerprint: string;
  readonly signatures: SignatureCheck;
  readonly folder: string;
  /** Resources as they are; a test may look and may change. */
  readonly world: World;
  readonly faults: FaultPlan;
  /** Every call so far, in order. */
  readonly calls: readonly CallRecord[];
  /** What did not conform to the vendor's models; empty as well when there are none, see `conformance.active`. */
  readonly violations: readonly string[];
  readonly conformance: DescriptionCheck;
  /** The id of what has a name. */
  idOf(kind: 'subnet' | 'image' | 'group', name: string): string;
  /** The file behind a volume. */
  volumePath(id: string): string;
  close(): Promise<void>;
}

/** One key for all simulators of a process: making one takes longer than starting a cloud. */
let keyPair: { readonly privateKey: string; readonly publicKey: string } | undefined;
const labKey = (): { readonly privateKey: string; readonly publicKey: string } =>
  (keyPair ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }));

/** Starts a cloud of its own on loopback: its services behind one address, each below its name. */
export async function startCompartmentCloud(options: CompartmentCloudOptions = {}): Promise<CompartmentCloud> {
  const hex = (): string => createHash('sha256').update(randomUUID()).digest('hex').slice(0, 40);
  const [tenancy, user] = [`ocid1.tenancy.oc1..${hex()}`, `ocid1.user.oc1..${hex()}`];
  const { privateKey, publicKey } = labKey();
  const fingerprint = (
    createHash('md5')
      .update(createPublicKey(publicKey).export({ type: 'spki', format: 'der' }))
      .digest('hex')
      .match(/../g) ?? []
  ).join(':');
  const setup = {
    tenancy,
    region: options.region ?? 'eu-frankfurt-1',
    namespace: 'labnamespace',
    domains: defaultDomains,
    shapes: options.shapes ?? defaultShapes,
    limits: { ...defaultLimits, ...options.limits },
    ...(options.portal === undefined ? {} : { portal: options.portal }),
  };
  const signatures = new SignatureCheck(() => (options.clock ?? { now: () => Date.now() }).now());
  signatures.register(`${tenancy}/${user}/${fingerprint}`, publicKey);
  const simulation = await startSimulation(
    'compartment-cloud',
    options,
    (ground) => {
      const world = new World(ground, setup);
      stock(world);
      return world;
    },
    (world) => ({
      protocol,
      operations,
      requestIdHeader: 'opc-request-id',
      authenticate: (request) => signatures.check(request),
      admit: (_world, { operation }) => {
        if (world.forbidden.has(operation))
          throw refuse(404, 'NotAuthorizedOrNotFound', 'Authorization failed or requested resource not found.');
      },
      description: vendorDescription(),
      undescribed: operationIds.filter((id) => described[id] === undefined),
    }),
  );
  const { url, world, folder, faults, calls, check, violations, close } = simulation;
  const named = (name: string) => [...world.compartments.values()].find((one) => one.name === name)?.id ?? '';
  return {
    url,
    tenancy,
    user,
    region: setup.region,
    compartment: named('migrations'),
    networkCompartment: named('networks'),
    privateKey,
    fingerprint,
    signatures,
    folder,
    world,
    faults,
    calls,
    violations,
    close,
    conformance: check,
    idOf(kind, name) {
      const all = { subnet: world.subnets, image: world.images, group: world.groups }[kind];
      return [...all.values()].find((one) => one.displayName === name)?.id ?? `no ${kind} ${name}`;
    },
    volumePath: (id) => world.ground.files.path(id),
  };
}

const volumeAnswers = { BlockstorageClient: ['Volume', 'BootVolume'] } as const;
const volume = (model: 'Volume' | 'BootVolume'): Readonly<Record<string, TypedOperation>> => ({
  [`BlockstorageClient.list${model}s`]: { answer: model, listIn: 'body' },
  [`BlockstorageClient.get${model}`]: { answer: model },
  [`BlockstorageClient.create${model}`]: { request: `Create${model}Details`, answer: model },
  [`BlockstorageClient.update${model}`]: {
    ...(model === 'BootVolume' ? { request: 'UpdateBootVolumeDetails' } : { request: 'UpdateBootVolumeDetails' }),
    answer: model,
  },
  [`BlockstorageClient.delete${model}`]: {},
});

/** What the vendor's models say of requests and answers. */
const described: Readonly<Record<string, TypedOperation>> = {
  ...volumeAnswers.BlockstorageClient.reduce((all, model) => ({ ...all, ...volume(model) }), {}),
  'ComputeClient.listInstances': { answer: 'Instance', listIn: 'body' },
  'ComputeClient.getInstance': { answer: 'Instance' },
  'ComputeClient.launchInstance': { request: 'LaunchInstanceDetails', answer: 'Instance' },
  'ComputeClient.terminateInstance': {},
  'ComputeClient.instanceAction': { answer: 'Instance' },
  'ComputeClient.listShapes': { answer: 'Shape', listIn: 'body' },
  'ComputeClient.listVolumeAttachments': {
    answer: 'IScsiVolumeAttachment | ParavirtualizedVolumeAttachment',
    listIn: 'body',
  },
  'ComputeClient.getVolumeAttachment': { answer: 'IScsiVolumeAttachment | ParavirtualizedVolumeAttachment' },
  'ComputeClient.attachVolume': {
    request: 'AttachIScsiVolumeDetails | AttachParavirtualizedVolumeDetails | AttachEmulatedVolumeDetails',
    answer: 'IScsiVolumeAttachment | ParavirtualizedVolumeAttachment',
  },
  'ComputeClient.detachVolume': {},
  'ComputeClient.listBootVolumeAttachments': { answer: 'BootVolumeAttachment', listIn: 'body' },
  'ComputeClient.listVnicAttachments': { answer: 'VnicAttachment', listIn: 'body' },
  'ComputeClient.attachVnic': { request: 'AttachVnicDetails', answer: 'VnicAttachment' },
  'ComputeClient.listImages': { answer: 'Image', listIn: 'body' },
  'ComputeClient.getImage': { answer: 'Image' },
  'ComputeClient.createImage': { request: 'CreateImageDetails', answer: 'Image' },
  'ComputeClient.deleteImage': {},
  'VirtualNetworkClient.getVnic': { answer: 'Vnic' },
  'VirtualNetworkClient.listVcns': { answer: 'Vcn', listIn: 'body' },
  'VirtualNetworkClient.listSubnets': { answer: 'Subnet', listIn: 'body' },
  'VirtualNetworkClient.getSubnet': { answer: 'Subnet' },
  'VirtualNetworkClient.listNetworkSecurityGroups': { answer: 'NetworkSecurityGroup', listIn: 'body' },
  'VirtualNetworkClient.getNetworkSecurityGroup': { answer: 'NetworkSecurityGroup' },
  'VirtualNetworkClient.createNetworkSecurityGroup': {
    request: 'CreateNetworkSecurityGroupDetails',
    answer: 'NetworkSecurityGroup',
  },
};

function vendorDescription(): ReturnType<typeof typedDescription> | undefined {
  const path = process.env[modelsVariable];
  return path === undefined || path === ''
    ? undefined
    : typedDescription(JSON.parse(readFileSync(path, 'utf8')) as TypedModels, described);
}

/** What every tenancy of the lab has: compartments, networks in one of them, images of the platform. */
function stock(world: World): void {
  const { tenancy } = world.setup;
  world.compartments.set(tenancy, { id: tenancy, name: 'lab', lifecycleState: 'ACTIVE' });
  const [migrations, networks] = ['migrations', 'networks'].map((name) => {
    const id = world.newId('compartment');
    world.compartments.set(id, { id, compartmentId: tenancy, name, lifecycleState: 'ACTIVE' });
    return id;
  });
  const common = { timeCreated: world.now(), lifecycleState: 'AVAILABLE' };
  for (const compartmentId of [migrations ?? '', networks ?? '']) {
    const vcnId = world.newId('vcn');
    world.vcns.set(vcnId, {
      ...common,
      id: vcnId,
      compartmentId,
      displayName: 'lab',
      cidrBlock: '10.20.0.0/16',
      cidrBlocks: ['10.20.0.0/16'],
    });
    const isShared = compartmentId === networks;
    const subnets: readonly (readonly [string, string, boolean])[] = isShared
      ? [['shared', '10.40.0.0/24', false]]
      : [
          ['workers', world.ground.privatePrefix, false],
          ['production', '10.20.0.0/24', false],
          ['backup', '10.20.1.0/24', true],
        ];
    for (const [displayName, cidrBlock, isPrivate] of subnets) {
      const id = world.newId('subnet');
      world.subnets.set(id, {
        ...common,
        id,
        compartmentId,
        vcnId,
        displayName,
        cidrBlock,
        virtualRouterIp: cidrBlock.replace(/\d+\/\d+$/, '1'),
        virtualRouterMac: '00:00:17:00:00:01',
        routeTableId: world.newId('routetable'),
        prohibitPublicIpOnVnic: isPrivate,
      });
    }
    for (const displayName of isShared ? ['shared-web'] : ['web', 'closed']) {
      const id = world.newId('networksecuritygroup');
      world.groups.set(id, { ...common, id, compartmentId, vcnId, displayName, freeformTags: {} });
      world.rules.set(id, []);
    }
  }
  const image = (displayName: string, operatingSystem: string, consistent: boolean): ImageRecord => ({
    ...common,
    id: world.newId('image'),
    compartmentId: '',
    displayName,
    operatingSystem,
    operatingSystemVersion: '9',
    createImageAllowed: true,
    launchMode: 'PARAVIRTUALIZED',
    freeformTags: {},
    launchOptions: {
      bootVolumeType: 'PARAVIRTUALIZED',
      firmware: 'UEFI_64',
      networkType: 'PARAVIRTUALIZED',
      remoteDataVolumeType: 'PARAVIRTUALIZED',
      isConsistentVolumeNamingEnabled: consistent,
    },
  });
  for (const one of [
    image('Oracle-Linux-9', 'Oracle Linux', true),
    image('Debian-12', 'Debian', false),
    image('Windows-Server-2022', 'Windows', true),
  ])
    world.images.set(one.id, one);
}
