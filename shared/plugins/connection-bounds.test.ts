import { describe, expect, test } from 'vitest';
import { plugins } from './registry.ts';
import { fieldsOf } from './schema-fields.ts';
import { isPlainLibvirtUri } from './qemu-hypervisor/libvirt-uri.ts';
import type { PluginId } from '../model/plugin-id.ts';

/** Messages at one key of a connection, whatever else is missing. */
function problemsAt(plugin: PluginId, key: string, value: unknown): string[] {
  const { error } = plugins[plugin].connection.safeParse({ [key]: value });
  return (error?.issues ?? []).filter(({ path }) => path[0] === key).map(({ message }) => message);
}

describe('a libvirt URI', () => {
  test.each([
    'qemu:///system',
    'qemu:///session',
    'qemu+unix:///system',
    'qemu+tls://host.example:16514/system',
    'qemu+tls://[2001:db8::1]/system',
  ])('%s starts no program', (uri) => expect(isPlainLibvirtUri(uri)).toBe(true));

  test.each([
    'qemu+ext:///system?command=/tmp/x',
    'qemu+ssh://host/system?command=/tmp/x',
    'qemu+ssh://host/system',
    'qemu+libssh2://host/system',
    'qemu+tcp://host/system',
    'qemu+tls://host/system?no_verify=1',
    'qemu+tls://host/system?pkipath=/tmp',
    'qemu+unix:///system?socket=/tmp/x',
    'qemu:///system?netcat=/tmp/x',
    'qemu:///system?no_sanity=1',
    'qemu:///system?keyfile=/x',
    'qemu:///system?mode=direct',
    'qemu:///system#x',
    'qemu:///embed?root=/tmp',
    'test:///default',
    'ch:///system',
    'esx://host/',
    'an-alias',
    '',
    '-x',
    ' qemu:///system',
    'qemu:///system\n',
    'QEMU+EXT:///system',
    'qemu+tls://-oProxyCommand=x/system',
    'qemu+tls://user@host/system',
  ])('%s is refused', (uri) => {
    expect(isPlainLibvirtUri(uri)).toBe(false);
    expect(problemsAt('qemu-hypervisor', 'libvirt_uri', uri)).not.toEqual([]);
  });
});

test('every URL of a connection is https, or http on loopback', () => {
  const urls = Object.entries(plugins).flatMap(([id, { connection }]) =>
    fieldsOf(connection)
      .filter(({ meta }) => typeof meta.example === 'string' && meta.example.startsWith('https://'))
      .map(({ path }) => [id as PluginId, path[0] ?? ''] as const),
  );
  expect(urls.length).toBeGreaterThan(5);
  for (const [id, key] of urls) {
    expect([id, key, problemsAt(id, key, 'http://cloud.example/v3')]).toEqual([
      id,
      key,
      [expect.stringContaining('https://')],
    ]);
    expect([id, key, problemsAt(id, key, 'https://user:password@cloud.example/')]).toEqual([
      id,
      key,
      [expect.stringContaining('user name')],
    ]);
    for (const good of [
      'https://cloud.example/v3',
      'http://127.0.0.1:5000/v3',
      'http://[::1]:5000/',
      'http://localhost/',
    ])
      expect([key, good, problemsAt(id, key, good)]).toEqual([key, good, []]);
    for (const bad of [
      'http://127.0.0.1.evil.example/',
      'http://localhost.evil.example/',
      'file:///etc/passwd',
      'http://0.0.0.0/',
    ])
      expect([key, bad, problemsAt(id, key, bad).length > 0]).toEqual([key, bad, true]);
  }
  expect(
    problemsAt('resource-group-cloud', 'custom_cloud_properties', { resource_manager: 'http://management.example/' }),
  ).toEqual(['must be an https:// address']);
});

test('paths that a program could take for an option or a protocol are refused', () => {
  for (const bad of ['-x', 'nbd://host/x', 'json:{"driver":"nbd"}', 'fd:3', 'a\nb']) {
    expect([bad, problemsAt('disk-images', 'path', bad).length > 0]).toEqual([bad, true]);
    expect([bad, problemsAt('qemu-hypervisor', 'qmp_socket', bad).length > 0]).toEqual([bad, true]);
    expect([bad, problemsAt('open-source-cloud', 'ceph_options', { ceph_conf_file: bad }).length > 0]).toEqual([
      bad,
      true,
    ]);
  }
  for (const good of ['/srv/a b', 'images', 'C:\\exports', '\\\\server\\share', './x:y'])
    expect([good, problemsAt('disk-images', 'path', good)]).toEqual([good, []]);
  expect(problemsAt('open-source-cloud', 'ceph_options', { ceph_cluster_name: '../../project/ceph' })).not.toEqual([]);
});

test('a connection that can reach nothing is refused where it is entered', () => {
  const hypervisor = plugins['qemu-hypervisor'].connection;
  expect(hypervisor.safeParse({ os_type: 'linux' }).error?.issues).toMatchObject([
    { path: ['qmp_socket'], message: expect.stringContaining('libvirt URI is needed') as unknown },
  ]);
  for (const one of [
    { qmp_socket: '/run/a.qmp' },
    { qmp_sockets: { a: '/run/a.qmp' } },
    { libvirt_uri: 'qemu:///system' },
  ])
    expect(hypervisor.safeParse(one).success).toBe(true);
  const cloud = plugins['european-cloud'].connection;
  const project_id = 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11';
  const key = JSON.stringify({ credentials: { kid: 'k' } });
  // The region has a default, as its help says.
  for (const good of [key, btoa(key), { $secret: 'key' }])
    expect(cloud.safeParse({ project_id, service_account_key: good }).success).toBe(true);
  for (const bad of ['not a key', '{}', '"text"', 'bm90IGEga2V5']) {
    expect(cloud.safeParse({ project_id, service_account_key: bad }).error?.issues).toMatchObject([
      { path: ['service_account_key'], message: expect.stringContaining('service account key') as unknown },
    ]);
  }
});
