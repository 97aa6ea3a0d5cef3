import { X509Certificate } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import type { PluginId } from '../../../shared/model/plugin-id.ts';
import type { Reached } from '../../../shared/model/trust.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { fieldsOf } from '../../../shared/plugins/schema-fields.ts';
import { isSecretReference } from '../../../shared/plugins/shapes/secret-value.ts';

interface Leaf extends Reached {
  /** Dotted, for comparing two connections. */
  readonly path: string;
}

const certificateKeys = new Set([
  'ca_certificate',
  'allow_untrusted',
  'allow_untrusted_swift',
  'certificate_sha256',
  'ssh_host_keys',
]);
const socketKeys = new Set(['qmp_socket', 'qmp_sockets']);
const addressKeys = new Set([
  'host',
  'port',
  'ssh_host',
  'ssh_jump_hosts',
  'ssh_proxy',
  'rct_port',
  'ssh_port',
  'reader_port',
  'kerberos_kdc',
  'nbd_listen',
  'libvirt_uri',
  'caller_address',
  'worker_ssh_port',
  'worker_https_port',
  'custom_cloud_properties',
]);
const fileKeys = new Set([
  'path',
  'scratch_folder',
  'nbd_tls_server_credentials',
  'nbd_tls_client_credentials',
  'libvirt_tls_credentials',
  'ceph_conf_file',
  'ceph_keyring_file',
  'disk_library_folder',
]);

/** Everything that a connection says, what matters most first: addresses, programs, sockets, files, certificates, secrets. */
export function connectionReach(plugin: PluginId, connection: JsonObject): Reached[] {
  const order: readonly Reached['kind'][] = [
    'address',
    'program',
    'socket',
    'file',
    'certificate',
    'secret',
    'access',
    'setting',
  ];
  const all: Reached[] = [
    ...leavesOf(plugin, connection).map(({ path: _, ...reached }) => reached),
    ...programsOf(plugin, connection),
  ];
  return order.flatMap((kind) => all.filter((one) => one.kind === kind));
}

export interface ConnectionChange {
  readonly label: string;
  readonly field?: string | undefined;
  readonly from?: string;
  readonly to?: string;
}

/** What differs between two connections, field by field. */
export function connectionChanges(plugin: PluginId, from: JsonObject, to: JsonObject): ConnectionChange[] {
  const before = new Map(leavesOf(plugin, from).map((leaf) => [leaf.path, leaf]));
  const after = new Map(leavesOf(plugin, to).map((leaf) => [leaf.path, leaf]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const [old, now] = [before.get(path), after.get(path)];
    if (old?.value === now?.value && old?.kind === now?.kind) return [];
    const worded = (leaf: Leaf | undefined): string | undefined =>
      leaf?.kind === 'secret' ? `secret ${leaf.value}` : leaf?.value;
    const [was, is] = [worded(old), worded(now)];
    const { label, field } = (now ?? old)!;
    return [
      {
        label,
        ...(field === undefined ? {} : { field }),
        ...(was === undefined ? {} : { from: was }),
        ...(is === undefined ? {} : { to: is }),
      },
    ];
  });
}

function leavesOf(plugin: PluginId, connection: JsonObject): Leaf[] {
  const titles = new Map(fieldsOf(plugins[plugin].connection).map(({ path, meta }) => [path.join('.'), meta.title]));
  const leaves: Leaf[] = [];
  const walk = (node: JsonValue, path: readonly string[], label: string, field?: string): void => {
    const key = path.at(-1) ?? '';
    const dotted = path.join('.');
    const said = (kind: Reached['kind'], value: string): void =>
      void leaves.push({ kind, label, ...(field === undefined ? {} : { field }), value, path: dotted });
    if (isSecretReference(node)) said('secret', node.$secret);
    else if (Array.isArray(node))
      node.forEach((element: JsonValue, index) => walk(element, [...path, String(index)], label, field));
    else if (isJsonObject(node))
      for (const [name, child] of Object.entries(node)) step(child, [...path, name], `${label}: ${name}`);
    else said(kindOf(path, node), key === 'ca_certificate' ? certificateText(String(node)) : String(node));
  };
  const step = (node: JsonValue, path: readonly string[], otherwise: string): void => {
    const title = titles.get(path.join('.'));
    walk(node, path, title ?? otherwise, title === undefined ? undefined : [plugin, 'connection', ...path].join('/'));
  };
  for (const [key, value] of Object.entries(connection)) step(value, [key], key);
  return leaves;
}

function kindOf(path: readonly string[], value: JsonValue): Reached['kind'] {
  if (typeof value === 'string' && value.includes('://')) return 'address';
  const has = (keys: ReadonlySet<string>): boolean => path.some((key) => keys.has(key));
  if (has(certificateKeys)) return 'certificate';
  if (has(socketKeys)) return 'socket';
  if (has(addressKeys)) return 'address';
  return has(fileKeys) ? 'file' : 'setting';
}

/** The programs of this computer that an endpoint of this kind starts. */
function programsOf(plugin: PluginId, connection: JsonObject): Reached[] {
  const program = (value: string): Reached => ({ kind: 'program', label: 'Starts', value });
  if (plugin === 'open-source-cloud' && connection['ceph_options'] !== undefined)
    return [program('rbd, rados, qemu-nbd')];
  if (plugin === 'virtualization-platform' && connection['disk_library_folder'] !== undefined)
    return [program('nbdkit')];
  return [];
}

/** Subject and fingerprint instead of the text, or a note that it is not a certificate. */
function certificateText(pem: string): string {
  try {
    const { subject, fingerprint256 } = new X509Certificate(pem);
    return `${subject.replaceAll('\n', ', ')} (SHA-256 ${fingerprint256})`;
  } catch {
    return 'not a certificate';
  }
}
