import { randomBytes } from 'node:crypto';
import { ApiError } from '../cloud-kit/call.ts';
import type { Call as KitCall, Operation as KitOperation } from '../cloud-kit/call.ts';
import type { Collection } from '../cloud-kit/collection.ts';
import { demandQuota } from '../cloud-kit/collection.ts';
import { ClientTokens } from '../cloud-kit/listing.ts';
import { SimulatedWorld } from '../cloud-kit/start.ts';
import type { Ground } from '../cloud-kit/start.ts';
import type * as records from './records.ts';

export interface WorldSetup {
  readonly tenancy: string;
  readonly region: string;
  readonly namespace: string;
  readonly domains: readonly string[];
  /** Where attachments by iSCSI have their targets. */
  readonly portal?: { readonly ipv4: string; readonly port: number };
  readonly shapes: readonly records.ShapeRecord[];
  limits: Readonly<Record<string, number>>;
}

export type Call = KitCall<World>;
export type Operation = KitOperation<World>;

/** What ended within the last hours is still shown by the vendor's API: here it is the last so many of each kind, and up to twice as many for a while. */
const goneThatStay = 50;

/** All of the tenancy's resources. What is terminated stays, as the API shows it for a while. */
export class World extends SimulatedWorld {
  readonly setup: WorldSetup;
  readonly tokens: ClientTokens;
  /** Shapes that no host has room for. */
  readonly withoutCapacity = new Set<string>();
  /** Operations that the user has no right to. */
  readonly forbidden = new Set<string>();
  readonly compartments = this.collection<records.CompartmentRecord>('compartment');
  readonly volumes = this.collection<records.VolumeRecord>('volume');
  readonly backups = this.collection<records.BackupRecord>('volume backup');
  readonly instances = this.collection<records.InstanceRecord>('instance');
  readonly attachments = this.collection<records.VolumeAttachmentRecord>('volume attachment');
  readonly bootAttachments = this.collection<records.BootVolumeAttachmentRecord>('boot volume attachment');
  readonly vnicAttachments = this.collection<records.VnicAttachmentRecord>('VNIC attachment');
  readonly vnics = this.collection<records.VnicRecord>('VNIC');
  readonly subnets = this.collection<records.SubnetRecord>('subnet');
  readonly vcns = this.collection<records.VcnRecord>('VCN');
  readonly groups = this.collection<records.SecurityGroupRecord>('network security group');
  /** By the id of their group. */
  readonly rules = new Map<string, records.SecurityRuleRecord[]>();
  readonly images = this.collection<records.ImageRecord>('image');
  readonly schemas = this.collection<records.CapabilitySchemaRecord>('capability schema');
  readonly buckets = this.collection<records.BucketRecord>('bucket');
  readonly histories = this.collection<records.ConsoleHistoryRecord>('console history');
  readonly #revisions = new WeakMap<object, number>();

  constructor(ground: Ground, setup: WorldSetup) {
    super(ground);
    this.setup = setup;
    this.tokens = new ClientTokens(
      () => new ApiError(409, 'The retry token was used with other parameters.', { code: 'InvalidatedRetryToken' }),
    );
  }

  newId(kind: string): string {
    return `ocid1.${kind}.oc1.${kind === 'compartment' || kind === 'tenancy' ? '' : this.setup.region}.${randomBytes(20).toString('hex')}`;
  }

  etagOf(record: object): string {
    return String(this.#revisions.get(record) ?? 1);
  }

  touch(record: object): void {
    this.#revisions.set(record, (this.#revisions.get(record) ?? 1) + 1);
  }

  now(): string {
    return new Date(this.ground.clock.now()).toISOString();
  }

  openWork(requestId: string, about: records.AboutWork) {
    return this.openOperation<records.AboutWork>(
      `ocid1.coreservicesworkrequest.oc1.${this.setup.region}.${requestId.replaceAll('-', '')}`,
      about,
    );
  }

  /** What of the service limits is in use, in an availability domain. */
  usage(domain: string): Readonly<Record<string, number>> {
    const volumes = [...this.volumes.values()].filter(
      (volume) => volume.availabilityDomain === domain && !isGone(volume),
    );
    const used: Record<string, number> = {
      'block-storage/volume-count': volumes.length,
      'block-storage/total-storage-gb': volumes.reduce((sum, volume) => sum + volume.sizeInGBs, 0),
    };
    for (const instance of this.instances.values()) {
      if (instance.availabilityDomain !== domain || isGone(instance)) continue;
      for (const name of this.setup.shapes.find(({ shape }) => shape === instance.shape)?.quotaNames ?? []) {
        used[`compute/${name}`] = (used[`compute/${name}`] ?? 0) + instance.shapeConfig.ocpus;
      }
    }
    return used;
  }

  demandLimits(domain: string, more: Readonly<Record<string, number>>): void {
    demandQuota(this.setup.limits, this.usage(domain), more, (message) =>
      refuse(
        400,
        'LimitExceeded',
        `The following service limits were exceeded: ${message}. Request a service limit increase from the service limits page in the console.`,
      ),
    );
  }

  /** Lets go of what is long gone, so that no call takes longer the more has been. */
  forgetLongGone(): void {
    for (const all of [
      this.volumes,
      this.backups,
      this.instances,
      this.attachments,
      this.bootAttachments,
      this.vnicAttachments,
      this.vnics,
      this.groups,
      this.images,
    ]) {
      const gone = [...(all as Iterable<readonly [string, { readonly lifecycleState: string }]>)].filter(([, one]) =>
        isGone(one),
      );
      if (gone.length > 2 * goneThatStay) for (const [id] of gone.slice(0, -goneThatStay)) all.delete(id);
    }
  }

  /** Resources that something made and nobody removed, as `kind name`, for tests that demand a clean end. An image that volumes stand on is their cache. */
  leftovers(): string[] {
    const there = <R extends { lifecycleState: string }>(all: Iterable<R>): R[] =>
      [...all].filter((one) => !isGone(one));
    const volumes = there(this.volumes.values());
    const used = new Set(volumes.map(({ imageId }) => imageId));
    return [
      ...there(this.instances.values()).map((one) => `server ${one.displayName}`),
      ...volumes.map(
        (one) => `${one.freeformTags['causeway-use'] === 'snapshot' ? 'snapshot' : 'volume'} ${one.displayName}`,
      ),
      ...there(this.backups.values()).map((one) => `snapshot ${one.displayName}`),
      ...there(this.groups.values())
        .filter((one) => one.freeformTags['managed-by'] === 'causeway')
        .map((one) => `security-group ${one.displayName}`),
      ...there(this.images.values())
        .filter((one) => one.freeformTags['managed-by'] === 'causeway' && !used.has(one.id))
        .map((one) => `image ${one.displayName}`),
      ...[...this.buckets.values()].map((one) => `bucket ${one.name}`),
    ];
  }
}

export const isGone = ({ lifecycleState }: { readonly lifecycleState: string }): boolean =>
  ['TERMINATED', 'DELETED', 'DETACHED'].includes(lifecycleState);
export const refuse = (status: number, code: string, message: string): ApiError =>
  new ApiError(status, message, { code });
export const invalid = (message: string): ApiError => refuse(400, 'InvalidParameter', message);
export const incorrectState = (message: string): ApiError => refuse(409, 'IncorrectState', message);
export const notFound = (what: string): ApiError =>
  refuse(404, 'NotAuthorizedOrNotFound', `Authorization failed or requested resource not found. (${what})`);

export function demand<R extends object>(collection: Collection<R>, id: unknown): R {
  return collection.demand(typeof id === 'string' ? id : undefined, notFound);
}

export function text(body: Readonly<Record<string, unknown>>, field: string): string {
  const value = body[field];
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(`${field} must be a string`);
}

export function tagsOf(body: Readonly<Record<string, unknown>>): records.Tags {
  const tags = body['freeformTags'] ?? {};
  if (typeof tags !== 'object' || tags === null) throw invalid('freeformTags must be a map');
  for (const [key, value] of Object.entries(tags)) {
    if (key === '' || key.length > 100 || /[^\x21-\x7e]/.test(key))
      throw invalid(`freeformTags: the key '${key}' is not valid`);
    if (typeof value !== 'string' || value.length > 256)
      throw invalid(`freeformTags: the value of '${key}' is not valid`);
  }
  if (Object.keys(tags).length > 64) throw invalid('freeformTags: too many tags');
  return tags as records.Tags;
}

export function compartmentOf({ world, body }: Call): string {
  const id = text(body, 'compartmentId');
  demand(world.compartments, id);
  return id;
}

export function domainOf({ world, body }: Call): string {
  const domain = text(body, 'availabilityDomain');
  if (!world.setup.domains.includes(domain)) throw invalid(`Invalid availabilityDomain ${domain}`);
  return domain;
}

/** A page of those that the query asks for: each given member has to be the same. */
export function listReply<R extends object>(
  call: Call,
  items: readonly R[],
  members: readonly string[],
  show: (item: R) => unknown = (item) => item,
) {
  const { query } = call;
  if (members.includes('compartmentId')) demand(call.world.compartments, query.get('compartmentId') ?? undefined);
  const wanted = items.filter((item) =>
    members.every(
      (name) =>
        query.get(name) === null || String((item as Readonly<Record<string, unknown>>)[name]) === query.get(name),
    ),
  );
  const limit = Math.min(1000, Number(query.get('limit') ?? '50'));
  const from = Number(query.get('page') ?? '0');
  const next = from + limit < wanted.length ? { 'opc-next-page': String(from + limit) } : {};
  return { status: 200, body: wanted.slice(from, from + limit).map(show), headers: next };
}

/** Carries a creation out once for each token for repetitions. */
export function creation(operation: Operation): Operation {
  return (call) => {
    const token = call.headers['opc-retry-token'];
    call.world.forgetLongGone();
    return call.world.tokens.once(call.operation, typeof token === 'string' ? token : undefined, call.body, () =>
      operation(call),
    );
  };
}
