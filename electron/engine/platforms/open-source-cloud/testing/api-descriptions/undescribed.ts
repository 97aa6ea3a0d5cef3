import type { Json } from './described-operations.ts';

/** Operations that the services have and their documents don't, by what is asked for. */
export const undescribedOperations: readonly { readonly request: RegExp; readonly query: readonly string[] }[] = [
  // The versions of an interface, at its root.
  { request: /^GET \/v2\.1$/, query: [] },
  // Of quotas the document has the short form alone, without those of volume types.
  { request: /^GET \/v3\/[^/]+\/os-quota-sets\/[^/]+$/, query: ['usage'] },
];

/** By which the network service's answers lead to next pages, of every list; its document says it of none. */
const pages = ['limit', 'marker'];

/** Filters of lists that documents leave out: which there are is part of each service's settings, and these are in the usual ones. */
export const undescribedQueries: Readonly<Record<string, readonly string[]>> = {
  'block-storage GET /v3/{project_id}/volumes/detail': ['name', 'metadata'],
  'block-storage GET /v3/{project_id}/snapshots/detail': ['name', 'metadata', 'volume_id'],
  'block-storage GET /v3/{project_id}/backups/detail': ['name', 'volume_id'],
  'block-storage GET /v3/{project_id}/attachments': ['volume_id'],
  // The document still calls projects tenants.
  'network GET /v2.0/networks': ['project_id', ...pages],
  'network GET /v2.0/ports': ['project_id', ...pages],
  'network GET /v2.0/security-groups': ['project_id', ...pages],
  'network GET /v2.0/subnets': pages,
};

const integer: Json = { type: 'integer', minimum: 0, maximum: 65_535 };

/** Parts of bodies that documents have wrong, by operation and place. */
export const amendments: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  // A snapshot is named; without one the service answers with an error of its own.
  'block-storage POST /v3/{project_id}/volumes/{id}/action': {
    '/revert': {
      type: 'object',
      properties: { snapshot_id: { type: 'string', format: 'uuid' } },
      required: ['snapshot_id'],
      additionalProperties: false,
    },
  },
  // The service answers with numbers, and takes them.
  'network POST /v2.0/security-group-rules': {
    '/security_group_rule/port_range_min': integer,
    '/security_group_rule/port_range_max': integer,
  },
};
