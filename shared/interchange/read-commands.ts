import { CausewayError } from '../model/causeway-error.ts';
import type { JsonValue } from '../model/json.ts';
import {
  deploymentPayloadSchema,
  endpointPayloadSchema,
  parsed,
  transferPayloadSchema,
  type DeploymentPayload,
  type EndpointPayload,
  type Payloads,
  type TransferPayload,
} from './payloads.ts';
import { splitWords } from './shell-words.ts';

/*
 * Arguments of `coriolis endpoint create`, `transfer create` and `deployment create`. Everything else of a script is skipped.
 */

/** Options that take no value. */
const flags: Readonly<Record<string, readonly [member: string, value: boolean]>> = {
  '--clone-disks': ['clone_disks', true],
  '--dont-clone-disks': ['clone_disks', false],
  '--skip-os-morphing': ['skip_os_morphing', true],
  '--os-morphing': ['skip_os_morphing', false],
  '--force': ['force', true],
};

const members: Readonly<Record<string, string>> = {
  '--name': 'name',
  '--provider': 'type',
  '--description': 'description',
  '--origin-endpoint': 'origin_endpoint_id',
  '--destination-endpoint': 'destination_endpoint_id',
  '--scenario': 'scenario',
  '--notes': 'notes',
  '--origin-minion-pool-id': 'origin_minion_pool_id',
  '--destination-minion-pool-id': 'destination_minion_pool_id',
};
const jsonMembers: Readonly<Record<string, string>> = {
  '--connection': 'connection_info',
  '--source-environment': 'source_environment',
  '--destination-environment': 'destination_environment',
  '--network-map': 'network_map',
};

/** @throws CausewayError for arguments that are not as the command line takes them */
export function readCommands(script: string): Payloads {
  const found = {
    endpoints: [] as EndpointPayload[],
    transfers: [] as TransferPayload[],
    deployments: [] as DeploymentPayload[],
  };
  for (const { line, words } of splitWords(script)) {
    const at = words.findIndex((word) => /(^|\/)coriolis$/.test(word));
    const noun =
      words.slice(at + 1).findIndex((word) => ['endpoint', 'transfer', 'replica', 'deployment'].includes(word)) +
      at +
      1;
    if (at < 0 || noun <= at || words[noun + 1] !== 'create') continue;
    const where = `line ${line}`;
    const { payload, rest } = argumentsOf(words.slice(noun + 2), where);
    if (words[noun] === 'endpoint') found.endpoints.push(parsed(endpointPayloadSchema, payload, where));
    else if (words[noun] === 'deployment')
      found.deployments.push(parsed(deploymentPayloadSchema, { ...payload, transfer_id: rest[0] }, where));
    else found.transfers.push(parsed(transferPayloadSchema, payload, where));
  }
  if (found.endpoints.length + found.transfers.length + found.deployments.length === 0) {
    throw new CausewayError(
      'general.invalid-input',
      'no "coriolis endpoint create", "coriolis transfer create" or "coriolis deployment create" found',
    );
  }
  return found;
}

function argumentsOf(
  words: readonly string[],
  where: string,
): { readonly payload: Record<string, unknown>; readonly rest: readonly string[] } {
  const payload: Record<string, unknown> = {};
  const instances: string[] = [];
  const rest: string[] = [];
  const storage: { default?: string; backend_mappings: JsonValue[]; disk_mappings: JsonValue[] } = {
    backend_mappings: [],
    disk_mappings: [],
  };
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!;
    if (!word.startsWith('--')) {
      rest.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const option = equals < 0 ? word : word.slice(0, equals);
    const flag = flags[option];
    if (flag !== undefined) {
      payload[flag[0]] = flag[1];
      continue;
    }
    const value = equals < 0 ? words[(index += 1)] : word.slice(equals + 1);
    if (value === undefined) throw new CausewayError('general.invalid-input', `${where}: ${option} has no value`);
    if (option === '--instance') instances.push(value);
    else if (option === '--default-storage-backend') storage.default = value;
    else if (option === '--storage-backend-mapping') storage.backend_mappings.push(pair(value, 'source', where));
    else if (option === '--disk-storage-mapping') storage.disk_mappings.push(pair(value, 'disk_id', where));
    else if (option === '--connection-secret') payload['connection_info'] = { secret_ref: value };
    else if (option === '--user-script-global' || option === '--user-script-instance')
      payload['user_scripts'] = {
        ...(payload['user_scripts'] as object | undefined),
        [`${option.slice(2)} ${value}`]: value,
      };
    else if (jsonMembers[option] !== undefined) payload[jsonMembers[option]] = json(value, option, where);
    else payload[members[option] ?? option.slice(2).replaceAll('-', '_')] = value;
  }
  if (instances.length > 0) payload['instances'] = instances;
  if (storage.default !== undefined || storage.backend_mappings.length + storage.disk_mappings.length > 0)
    payload['storage_mappings'] = storage;
  return { payload, rest };
}

/** `ds1=standard`; the last equals sign separates, as names of storage may hold others. */
function pair(text: string, left: 'source' | 'disk_id', where: string): JsonValue {
  const at = text.lastIndexOf('=');
  if (at < 1)
    throw new CausewayError('general.invalid-input', `${where}: ${JSON.stringify(text)} must be SOURCE=DESTINATION`);
  return { [left]: text.slice(0, at), destination: text.slice(at + 1) };
}

function json(text: string, option: string, where: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CausewayError(
      'general.invalid-input',
      `${where}: ${option} must be JSON. Files (${option}-file) are read by their own path: pass their content with ${option}`,
    );
  }
}
