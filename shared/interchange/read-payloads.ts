import { CausewayError } from '../model/causeway-error.ts';
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
import { readCommands } from './read-commands.ts';

/** Reads payloads (JSON, one or many, as sent or as answered) or a script of `coriolis …` commands. @throws CausewayError for anything else */
export function readPayloads(text: string): Payloads {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  return /^[[{]/.test(trimmed) ? fromJson(trimmed) : readCommands(trimmed);
}

function fromJson(text: string): Payloads {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CausewayError(
      'general.invalid-input',
      `not JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const found = {
    endpoints: [] as EndpointPayload[],
    transfers: [] as TransferPayload[],
    deployments: [] as DeploymentPayload[],
  };
  collect(value, '', found);
  if (found.endpoints.length + found.transfers.length + found.deployments.length === 0) {
    throw new CausewayError(
      'general.invalid-input',
      'no endpoint, transfer or deployment found. Expected: {"endpoint": …}, {"transfer": …}, {"deployment": …}, lists of them, or coriolis commands',
    );
  }
  return found;
}

interface Found {
  readonly endpoints: EndpointPayload[];
  readonly transfers: TransferPayload[];
  readonly deployments: DeploymentPayload[];
}

const wrappers = {
  endpoint: 'endpoint',
  endpoints: 'endpoint',
  transfer: 'transfer',
  transfers: 'transfer',
  replica: 'transfer',
  replicas: 'transfer',
  deployment: 'deployment',
  deployments: 'deployment',
} as const;

function collect(value: unknown, path: string, found: Found): void {
  if (Array.isArray(value)) {
    value.forEach((item: unknown, index) => collect(item, `${path}/${index}`, found));
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const wrapped = Object.entries(value).filter(([key]) => Object.hasOwn(wrappers, key));
  if (wrapped.length > 0) {
    for (const [key, member] of wrapped) {
      for (const [index, item] of ([member] as unknown[]).flat().entries())
        takeOrUnwrap(wrappers[key as keyof typeof wrappers], item, `${path}/${key}/${index}`, found);
    }
    return;
  }
  // A file of one endpoint has no wrapper.
  if (Object.hasOwn(value, 'connection_info')) take('endpoint', value, path, found);
  else if (Object.hasOwn(value, 'instances')) take('transfer', value, path, found);
  else if (Object.hasOwn(value, 'transfer_id')) take('deployment', value, path, found);
}

/** The items of a list may have their wrappers, too. */
function takeOrUnwrap(kind: 'endpoint' | 'transfer' | 'deployment', item: unknown, path: string, found: Found): void {
  const isWrapped =
    typeof item === 'object' &&
    item !== null &&
    Object.keys(item).length === 1 &&
    Object.hasOwn(wrappers, Object.keys(item)[0]!);
  if (isWrapped) collect(item, path, found);
  else take(kind, item, path, found);
}

function take(kind: 'endpoint' | 'transfer' | 'deployment', value: unknown, path: string, found: Found): void {
  if (kind === 'endpoint') found.endpoints.push(parsed(endpointPayloadSchema, value, path));
  else if (kind === 'transfer') found.transfers.push(parsed(transferPayloadSchema, value, path));
  else found.deployments.push(parsed(deploymentPayloadSchema, value, path));
}
