import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import type { PluginId } from '../../../shared/model/plugin-id.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { issueLine } from '../../../shared/schema/issue-line.ts';
import { isSecretReference } from '../../../shared/plugins/shapes/secret-value.ts';
import { realPathSync } from '../system-files/real-path.ts';

/** Files that programs take their orders or their trust from. */
const settingsFiles = new Set([
  'ceph_conf_file',
  'ceph_keyring_file',
  'nbd_tls_client_credentials',
  'libvirt_tls_credentials',
  'disk_library_folder',
]);

/**
 * What the plugin's form says against a connection whose secrets are references, and files that other people can change:
 * those of the shared project folder.
 */
export function connectionProblems(plugin: PluginId, connection: JsonObject, projectFolder: string): string[] {
  return [...formIssues(plugin, connection).map(({ text }) => text), ...sharedFiles(connection, projectFolder)];
}

/** @throws CausewayError `general.invalid-input`, `trust.unsafe-connection` */
export function refuseConnection(plugin: PluginId, connection: JsonObject, projectFolder: string): void {
  const issues = formIssues(plugin, connection);
  const files = sharedFiles(connection, projectFolder);
  const texts = [...issues.map(({ text }) => text), ...files];
  if (texts.length === 0) return;
  const isUnsafe = files.length > 0 || issues.some(({ isBound }) => isBound);
  throw new CausewayError(
    isUnsafe ? 'trust.unsafe-connection' : 'general.invalid-input',
    `connection of ${plugin}: ${texts.join('; ')}`,
    { details: { issues: texts } },
  );
}

/** `isBound`: a value of the right form that leads where none may. */
function formIssues(plugin: PluginId, connection: JsonObject): { readonly text: string; readonly isBound: boolean }[] {
  // The form does not know the referenced value; the platform checks it when it is used.
  return (plugins[plugin].connection.safeParse(connection).error?.issues ?? [])
    .filter((issue) => !isReferenceAt(connection, issue.path))
    .map((issue) => ({
      text: issueLine(issue, connection, 'the connection'),
      isBound: issue.code === 'custom' && issue.params?.['isForm'] !== true,
    }));
}

function isReferenceAt(value: JsonObject, path: readonly PropertyKey[]): boolean {
  let node: JsonValue | undefined = value;
  for (const key of path) {
    node = isJsonObject(node) ? node[String(key)] : undefined;
    if (isSecretReference(node)) return true;
  }
  return false;
}

function sharedFiles(node: JsonObject, projectFolder: string): string[] {
  return Object.entries(node).flatMap(([key, value]) => {
    if (isJsonObject(value)) return sharedFiles(value, projectFolder);
    if (!settingsFiles.has(key) || typeof value !== 'string') return [];
    if (!isAbsolute(value)) return [`${key}: must be an absolute path`];
    return isInside(value, projectFolder)
      ? [`${key}: must not be in the project folder, which other people can change`]
      : [];
  });
}

/** Links are followed, on both sides. */
function isInside(path: string, folder: string): boolean {
  const real = existsSync(path) ? realPathSync(path) : resolve(path);
  return [realPathSync(folder), resolve(folder)].some((base) => {
    const between = relative(base, real);
    return between === '' || (between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between));
  });
}
