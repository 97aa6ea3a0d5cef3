import { expect, test } from 'vitest';
import { exportedEndpoint, importedEndpoint } from './export-endpoint.ts';

test('an exported endpoint holds neither secrets nor references to them', () => {
  const exported = exportedEndpoint({
    id: 'ep_1',
    name: 'cloud',
    plugin: 'european-cloud',
    connection: {
      region_name: 'eu01',
      service_account_key: { $secret: 'endpoint/ep_1/service_account_key' },
      nested: { kept: 1, key: { $secret: 'a' } },
    },
    createdAt: '2026-11-20T00:00:00Z',
    updatedAt: '2026-11-20T00:00:00Z',
  });
  expect(exported).toBe(
    'name: cloud\nplugin: european-cloud\nconnection:\n  region_name: eu01\n  nested:\n    kept: 1\n',
  );
});

test('an exported endpoint comes back as it was, without secrets even when somebody wrote them into it', () => {
  const connection = { project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11', region_name: 'eu01' };
  const text = exportedEndpoint({
    id: 'ep_1',
    name: 'cloud',
    plugin: 'european-cloud',
    connection,
    createdAt: '',
    updatedAt: '',
  });
  expect(importedEndpoint(text)).toEqual({ name: 'cloud', plugin: 'european-cloud', connection });
  expect(importedEndpoint(`${text}  service_account_key: canary\n`)).toEqual({
    name: 'cloud',
    plugin: 'european-cloud',
    connection,
  });
});

test.each([
  '',
  '[]',
  'name: a',
  'name: a\nplugin: none\nconnection: {}',
  '{"name": 1, "plugin": "disk-images", "connection": {}}',
  'a: {',
])('%j is no endpoint', (text) => {
  expect(importedEndpoint(text)).toBeUndefined();
});
