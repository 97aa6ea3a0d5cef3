import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ApiDescriptions } from './api-descriptions.ts';

const server = (more: object) => ({
  type: 'object',
  properties: {
    server: {
      type: 'object',
      properties: { name: { type: 'string', pattern: String.raw`^[\ -\~]+$` }, ...more },
      required: ['name'],
    },
  },
});
const compute = {
  info: { version: '2.96' },
  paths: {
    '/v2.1/servers/detail': {
      get: {
        parameters: [
          { $ref: '#/components/parameters/name' },
          { in: 'query', name: 'locked', 'x-openstack': { 'min-ver': '2.73' } },
          { in: 'header', name: 'elsewhere' },
        ],
      },
    },
    '/v2.1/servers/{id}': { get: {}, delete: { 'x-openstack': { 'min-ver': '2.80' } } },
    '/v2.1/servers': {
      post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Create' } } } } },
    },
    '/v2.1/servers/{id}/action': {
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: {
                oneOf: [{ $ref: '#/components/schemas/Start' }, { $ref: '#/components/schemas/Image' }],
                'x-openstack': { discriminator: 'action' },
              },
            },
          },
        },
      },
    },
  },
  components: {
    parameters: { name: { in: 'query', name: 'name' } },
    schemas: {
      Create: {
        oneOf: [{ $ref: '#/components/schemas/Old' }, { $ref: '#/components/schemas/New' }],
        'x-openstack': { discriminator: 'microversion' },
      },
      Old: { ...server({}), 'x-openstack': { 'max-ver': '2.51' } },
      New: {
        ...server({ tags: { type: 'array', items: { type: 'string', format: 'uuid' } } }),
        'x-openstack': { 'min-ver': '2.52' },
      },
      Start: {
        type: 'object',
        properties: { 'os-start': { type: 'null' } },
        'x-openstack': { 'action-name': 'os-start' },
      },
      Image: {
        type: 'object',
        properties: {
          createImage: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: true },
        },
        'x-openstack': { 'action-name': 'createImage' },
      },
    },
  },
};
const objectStore = {
  info: { version: '1' },
  paths: { '/v1/{account}/{container}': { get: {} }, '/v1/{account}/{container}/{object}': { get: {} } },
};
const network = {
  info: { version: '2.0' },
  paths: {
    '/v2.0/networks': { get: {} },
    '/v2.0/security-group-rules': {
      post: {
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  security_group_rule: { type: 'object', properties: { port_range_min: { type: 'string' } } },
                },
              },
            },
          },
        },
      },
    },
  },
};

const folder = mkdtempSync(join(tmpdir(), 'causeway-descriptions-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'compute_v2.96.json'), JSON.stringify(compute));
writeFileSync(join(folder, 'object-store_v1.subset.json'), JSON.stringify(objectStore));
writeFileSync(join(folder, 'network_v2.json'), JSON.stringify(network));
writeFileSync(join(folder, 'other.json'), '{}');

interface Sent {
  readonly version?: string;
  readonly body?: unknown;
  readonly realIds?: boolean;
}

function violations(
  method: string,
  path: string,
  { version = 'compute 2.72', body, realIds = false }: Sent = {},
): readonly string[] {
  const descriptions = new ApiDescriptions(folder, { realIds });
  descriptions.check({
    method,
    url: new URL(path, 'https://cloud.example/somewhere/'),
    headers: version === '' ? {} : { 'openstack-api-version': version },
    body,
  });
  return descriptions.violations;
}

describe('a request that is held against the descriptions of the services', () => {
  it.each([
    ['GET', 'v2.1/servers/detail?name=a'],
    ['GET', 'v2.1/servers/s1'],
    ['GET', 'v2.1/'],
    ['GET', 'v1/AUTH_p/backups'],
    ['GET', 'v1/AUTH_p/backups/volume_1/2026/part-1'],
    ['GET', 'v2.0/networks?project_id=p'],
    ['GET', 'v2.0/networks?limit=1&marker=n1'],
    ['POST', 'v2.1/servers', { body: { server: { name: 'a', tags: ['b'] } } }],
    ['POST', 'v2.1/servers', { body: { server: { name: 'a' } }, version: 'compute 2.3' }],
    ['POST', 'v2.1/servers/s1/action', { body: { 'os-start': null } }],
    ['POST', 'v2.1/servers/s1/action', { body: { createImage: { name: 'i', anything: 1 } } }],
    ['POST', 'v2.0/security-group-rules', { body: { security_group_rule: { port_range_min: 22 } } }],
  ] as const)('is in order: %s %s', (method, path, sent: Sent = {}) => {
    expect(violations(method, path, sent)).toEqual([]);
  });

  it.each([
    ['a path that nobody has', 'GET', 'v2.1/serverz', {}, 'GET /v2.1/serverz: is in no document'],
    ['a method that the path has not', 'PATCH', 'v2.1/servers/s1', {}, 'is in no document'],
    ['a path without a version', 'GET', 'servers/detail', {}, 'is in no document'],
    ['a query that is not known', 'GET', 'v2.1/servers/detail?nam=a', {}, 'query parameter nam is not part'],
    ['a header as a query', 'GET', 'v2.1/servers/detail?elsewhere=a', {}, 'query parameter elsewhere'],
    ['a query of a later version', 'GET', 'v2.1/servers/detail?locked=a', {}, 'query parameter locked'],
    ['an operation of a later version', 'DELETE', 'v2.1/servers/s1', {}, 'is not in version 2.72'],
    ['no version', 'GET', 'v2.1/servers/s1', { version: '' }, 'says nothing about the version'],
    ["another service's version", 'GET', 'v2.1/servers/s1', { version: 'volume 3.59' }, 'says "volume 3.59"'],
    ['a version beyond the document', 'GET', 'v2.1/servers/s1', { version: 'compute 2.97' }, 'newer than the document'],
    ['a body where none is taken', 'DELETE', 'v2.1/servers/s1', { body: {}, version: 'compute 2.80' }, 'takes none'],
    ['no body where one is', 'POST', 'v2.1/servers', {}, 'lacks its body'],
    [
      'a name in the body that is not known',
      'POST',
      'v2.1/servers',
      { body: { server: { name: 'a', nane: 'b' } } },
      'body/server: must NOT have additional properties (nane)',
    ],
    [
      'a body of a later version',
      'POST',
      'v2.1/servers',
      { body: { server: { name: 'a', tags: [] } }, version: 'compute 2.51' },
      '(tags)',
    ],
    [
      'a type that is wrong',
      'POST',
      'v2.1/servers',
      { body: { server: { name: 1 } } },
      'body/server/name: must be string',
    ],
    [
      'an id that is none',
      'POST',
      'v2.1/servers',
      { body: { server: { name: 'a', tags: ['b'] } }, realIds: true },
      'must match format "uuid"',
    ],
    [
      'an action that there is not',
      'POST',
      'v2.1/servers/s1/action',
      { body: { 'os-stop': null } },
      'no schema of the operation is for os-stop',
    ],
    [
      'an action in another form',
      'POST',
      'v2.1/servers/s1/action',
      { body: { 'os-start': {} } },
      'body/os-start: must be null',
    ],
    [
      'a port beyond all ports',
      'POST',
      'v2.0/security-group-rules',
      { body: { security_group_rule: { port_range_min: 70_000 } } },
      'must be <= 65535',
    ],
  ])('is refused with %s', (_what, method, path, sent, problem) => {
    expect(violations(method, path, sent).join('\n')).toContain(problem);
  });

  it('is known by the operation that it is for, the most exact one', () => {
    const descriptions = new ApiDescriptions(folder);
    for (const path of ['servers/detail', 'servers/s1'])
      descriptions.check({
        method: 'GET',
        url: new URL(`https://cloud.example/v2.1/${path}`),
        headers: {},
        body: undefined,
      });
    expect([...descriptions.seen]).toEqual(['compute GET /v2.1/servers/detail', 'compute GET /v2.1/servers/{id}']);
  });

  it('has to have descriptions', () => {
    const empty = mkdtempSync(join(tmpdir(), 'causeway-no-descriptions-'));
    expect(() => new ApiDescriptions(empty)).toThrow('no OpenAPI documents');
    rmSync(empty, { recursive: true });
  });
});
