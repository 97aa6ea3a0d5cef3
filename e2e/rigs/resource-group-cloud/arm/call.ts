import { ApiError, fieldReader } from '../../cloud-kit/call.ts';
import type * as kit from '../../cloud-kit/call.ts';
import type { Collection } from '../../cloud-kit/collection.ts';
import type { Transition } from '../../cloud-kit/transitions.ts';
import type { AboutOperation, ArmRecord, Tags } from '../records.ts';
import type { World } from '../world.ts';

export type Call = kit.Call<World>;
export type Operation = kit.Operation<World>;
export type Body = Readonly<Record<string, unknown>>;

export function invalid(field: string, problem: string): ApiError {
  return new ApiError(400, `The value of parameter ${field} is invalid: ${problem}.`, { code: 'InvalidParameter' });
}

export const { stringField, optionalString, objectField, stringList } = fieldReader(invalid);

export const refuse = (status: number, code: string, message: string): ApiError =>
  new ApiError(status, message, { code });
export const conflict = (code: string, message: string): ApiError => refuse(409, code, message);

export const notFound = (what: string): ApiError =>
  refuse(
    404,
    'ResourceNotFound',
    `The Resource '${what}' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix`,
  );

/** The members of a body's `properties`; empty when there are none. */
export function propertiesOf(call: Call): Body {
  return call.body['properties'] === undefined ? {} : objectField(call.body['properties'], 'properties');
}

export function tagsOf(call: Call): { readonly tags?: Tags } {
  if (call.body['tags'] === undefined || call.body['tags'] === null) return {};
  const tags = Object.entries(objectField(call.body['tags'], 'tags'));
  if (tags.length > 50) throw refuse(400, 'InvalidTags', 'The number of tags exceeds the maximum of 50.');
  for (const [key, value] of tags) {
    if (key.length > 512 || /[<>%&\\?/]/.test(key))
      throw refuse(400, 'InvalidTagNameCharacters', `The tag name '${key}' has reserved characters.`);
    if (typeof value !== 'string' || value.length > 256)
      throw refuse(400, 'InvalidTagValueLength', `The value of tag '${key}' is invalid.`);
  }
  return { tags: Object.fromEntries(tags) as Tags };
}

/** The location of a body, in the form that ids have. */
export function locationOf(call: Call): string {
  const location = stringField(call.body, 'location').toLowerCase().replaceAll(' ', '');
  if (location !== call.world.setup.location)
    throw refuse(400, 'LocationNotAvailableForResourceType', `The provided location '${location}' is not available.`);
  return location;
}

export function zonesOf(call: Call): { readonly zones?: readonly string[] } {
  if (call.body['zones'] === undefined) return {};
  const zones = stringList(call.body['zones'], 'zones');
  const unknown = zones.find((zone) => !call.world.setup.zones.includes(zone));
  if (unknown !== undefined)
    throw refuse(400, 'InvalidAvailabilityZone', `The zone(s) '${unknown}' for resource are not supported.`);
  return zones.length === 0 ? {} : { zones };
}

/** The id of the resource that a call's path names. */
export function idOf(call: Call, type: string, parameter = 'name'): string {
  const group = groupOf(call);
  return call.world.idOf(group, type, call.params[parameter] ?? '');
}

/** The group of a call's path, as it is written where it was made. */
export function groupOf(call: Call): string {
  const wanted = call.params['resourceGroupName'] ?? '';
  const group = call.world.resourceGroups.get(groupKey(call.world, wanted));
  if (group === undefined) throw refuse(404, 'ResourceGroupNotFound', `Resource group '${wanted}' could not be found.`);
  return group.name;
}

export const groupKey = (world: World, name: string): string =>
  `/subscriptions/${world.setup.subscriptionId}/resourcegroups/${name}`.toLowerCase();

export function demand<R extends object>(collection: Collection<R>, id: string): R {
  return collection.demand(id.toLowerCase(), () => notFound(id.split('/').slice(-2).join('/')));
}

/** What a reference in a body leads to. */
export function referred<R extends object>(
  collection: Collection<R>,
  value: unknown,
  field: string,
  code = 'InvalidResourceReference',
): R {
  const id = stringField(objectField(value, field), 'id');
  const found = collection.get(id.toLowerCase());
  if (found === undefined) throw refuse(400, code, `Resource ${id} referenced by ${field} was not found.`);
  return found;
}

/** `A/B` of a resource's id, e.g. `disks/data`. */
export const shortName = (id: string): string => id.split('/').slice(-2).join('/');
export const sameId = (one: string | undefined, other: string | undefined): boolean =>
  one?.toLowerCase() === other?.toLowerCase();

/**
 * Starts what the API does after its answer, and answers as it does: with the resource, where the operation can be
 * followed, and where its result will be.
 */
export function beginOperation(
  call: Call,
  namespace: string,
  step: Omit<Transition, 'operation' | 'fault'>,
  reply: {
    readonly status: number;
    readonly body?: unknown;
    readonly result?: () => unknown;
    readonly failureCode?: string;
  },
): kit.Reply {
  const { world } = call;
  const about: AboutOperation = {
    ...(reply.result === undefined ? {} : { result: reply.result }),
    failureCode: reply.failureCode ?? 'InternalOperationError',
  };
  const operation = world.openAzureOperation(about);
  world.transition({ ...step, fault: call.fault, operation });
  return {
    status: reply.status,
    ...(reply.body === undefined ? {} : { body: reply.body }),
    headers: operationHeaders(call, namespace, operation.id),
  };
}

function operationHeaders(call: Call, namespace: string, id: string): Record<string, string> {
  const { subscriptionId, location } = call.world.setup;
  const host = `https://${call.headers.host ?? ''}`;
  const at = `${host}/subscriptions/${subscriptionId}/providers/${namespace}/locations/${location}`;
  const version = `api-version=${call.query.get('api-version') ?? ''}`;
  return {
    'azure-asyncoperation': `${at}/operations/${id}?${version}`,
    location: `${at}/operationResults/${id}?${version}&monitor=true`,
  };
}

export interface Kind<R extends ArmRecord> {
  /** E.g. `Microsoft.Compute/disks`. */
  readonly type: string;
  readonly collection: (world: World) => Collection<R>;
  /** How it is shown; the default is the record. */
  readonly show?: (call: Call, record: R) => unknown;
}

/** What all resources have: reading one, listing those of a group or of the subscription, changing tags. */
export function commonOperations<R extends ArmRecord>({
  type,
  collection,
  show = (_call, record) => record,
}: Kind<R>): {
  readonly get: Operation;
  readonly list: Operation;
  readonly listAll: Operation;
  readonly updateTags: Operation;
} {
  const shown = (call: Call, group: string | undefined): unknown => {
    const all = collection(call.world).listed();
    const prefix = group === undefined ? undefined : `${groupKey(call.world, group)}/`;
    return pageOf(
      call,
      all
        .filter(({ id }) => prefix === undefined || id.toLowerCase().startsWith(prefix))
        .map((record) => show(call, record)),
    );
  };
  return {
    get: (call) => ({ status: 200, body: show(call, demand(collection(call.world), idOf(call, type))) }),
    list: (call) => ({ status: 200, body: shown(call, groupOf(call)) }),
    listAll: (call) => ({ status: 200, body: shown(call, undefined) }),
    updateTags: (call) => {
      const record = demand(collection(call.world), idOf(call, type));
      Object.assign(record, tagsOf(call));
      return { status: 200, body: show(call, record) };
    },
  };
}

/** A page of a listing, with the address of the next one. */
export function pageOf(call: Call, items: readonly unknown[]): unknown {
  const size = call.world.pageSize;
  const from = Number(call.query.get('$skiptoken') ?? '0');
  const page = items.slice(from, from + size);
  if (from + size >= items.length) return { value: page };
  const url = new URL(`https://${call.headers.host ?? ''}${call.world.asked.pathname}${call.world.asked.search}`);
  url.searchParams.set('$skiptoken', String(from + size));
  return { value: page, nextLink: url.href };
}
