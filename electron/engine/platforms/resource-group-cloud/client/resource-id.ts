import { CausewayError } from '../../../../../shared/model/causeway-error.ts';

/** The parts of `/subscriptions/…/resourceGroups/…/providers/Microsoft.Compute/disks/…`; names of kinds in lower case. */
export interface ResourceId {
  readonly subscription: string;
  readonly group: string;
  /** e.g. `microsoft.compute/disks`, of a part of a resource `microsoft.network/virtualnetworks/subnets`. */
  readonly type: string;
  /** Names, the outermost first: of a subnet its network's and its own. */
  readonly names: readonly string[];
  /** The last of the names. */
  readonly name: string;
}

/** @param type with its provider, e.g. `Microsoft.Compute/disks` */
export function resourceId(subscription: string, group: string, type: string, ...names: readonly string[]): string {
  const [provider = '', ...kinds] = type.split('/');
  return `/subscriptions/${subscription}/resourceGroups/${group}/providers/${provider}/${kinds.map((kind, index) => `${kind}/${names[index] ?? ''}`).join('/')}`;
}

/** @throws `cloud.unexpected-answer` */
export function parseResourceId(id: string | undefined): ResourceId {
  const parts = (id ?? '').split('/').filter((part) => part !== '');
  const [subscriptions, subscription, groups, group, providers, provider, ...rest] = parts;
  const isWhole =
    subscriptions?.toLowerCase() === 'subscriptions' &&
    groups?.toLowerCase() === 'resourcegroups' &&
    providers?.toLowerCase() === 'providers';
  const names = rest.filter((_part, index) => index % 2 === 1);
  const name = names.at(-1);
  if (
    !isWhole ||
    subscription === undefined ||
    group === undefined ||
    provider === undefined ||
    name === undefined ||
    rest.length % 2 !== 0
  ) {
    throw new CausewayError('cloud.unexpected-answer', `not a resource id: ${id ?? 'none'}`);
  }
  const kinds = rest.filter((_part, index) => index % 2 === 0);
  return { subscription, group, type: [provider, ...kinds].join('/').toLowerCase(), names, name };
}

/** Ids are the same whatever the case of their letters: services of the cloud spell one resource in several ways. */
export function sameId(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one.toLowerCase() === other?.toLowerCase();
}
