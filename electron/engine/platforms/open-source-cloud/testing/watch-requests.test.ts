import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openCloud } from '../client/open-cloud.ts';
import { ApiDescriptions } from './api-descriptions/api-descriptions.ts';
import { startSmallCloud } from './small-cloud.ts';
import { watchRequests } from './watch-requests.ts';

const signal = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'causeway-watch-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(
  join(folder, 'network_v2.json'),
  JSON.stringify({
    info: { version: '2.0' },
    paths: {
      '/v2.0/networks': { get: {} },
      '/v2.0/security-groups': {
        post: {
          requestBody: {
            content: {
              'application/json': {
                schema: { properties: { security_group: { properties: { name: { type: 'string' } } } } },
              },
            },
          },
        },
      },
    },
  }),
);

it('a watch holds what the client sends to a cloud against the descriptions, and nothing that others send', async () => {
  const { script } = await startSmallCloud();
  const cloud = openCloud(script.connection);
  const descriptions = new ApiDescriptions(folder);
  const end = watchRequests(descriptions);
  await cloud.network.networks({}, signal);
  await cloud.network.createSecurityGroup({ name: 'a', description: 'b' }, signal);
  await new Promise((resolve) =>
    get(`${script.url}/network/v2.0/anything`, { headers: { 'x-auth-token': 'a test of its own' } }, (answer) =>
      answer.resume().on('end', resolve),
    ),
  );
  end();
  await cloud.network.networks({ name: 'unwatched' }, signal);
  cloud.close();
  expect([...descriptions.seen]).toEqual([
    'POST /v3/auth/tokens',
    'network GET /v2.0/networks',
    'network POST /v2.0/security-groups',
  ]);
  expect(descriptions.violations).toEqual([
    'POST /v3/auth/tokens: is in no document',
    'network POST /v2.0/security-groups: body/security_group: must NOT have additional properties (description)',
  ]);
  expect(script.calls()).toHaveLength(4);
});
