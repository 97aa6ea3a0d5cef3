import { expect, test } from 'vitest';
import { exportedEndpoint } from './export-endpoint.ts';

test('an exported endpoint holds neither secrets nor references to them', () => {
  const exported = exportedEndpoint({
    id: 'ep_1',
    name: 'cloud',
    plugin: 'european-cloud',
    connection: { region_name: 'eu01', service_account_key: { $secret: 'endpoint/ep_1/service_account_key' }, nested: { kept: 1, key: { $secret: 'a' } } },
    createdAt: '2026-11-20T00:00:00Z',
    updatedAt: '2026-11-20T00:00:00Z',
  });
  expect(exported).toBe('name: cloud\nplugin: european-cloud\nconnection:\n  region_name: eu01\n  nested:\n    kept: 1\n');
});
