import { z } from 'zod';
import { CausewayError } from '../model/causeway-error.ts';
import { jsonObjectSchema } from '../model/endpoint.ts';

/*
 * What the REST interface of Coriolis takes and answers, and what its command line sends, as far as it can be carried over. Other
 * members are kept apart, so that what is not carried over can be named.
 */

const text = z.string().max(10_000);
const object = jsonObjectSchema.nullish();
const flag = z.boolean().nullish();

export const endpointPayloadSchema = z.looseObject({
  id: text.optional(),
  name: text,
  /** Name of the provider, e.g. `vmware_vsphere`. */
  type: text,
  description: text.nullish(),
  connection_info: object,
});
export type EndpointPayload = z.infer<typeof endpointPayloadSchema>;

export const storageMappingsSchema = z.looseObject({
  default: text.nullish(),
  backend_mappings: z.array(z.looseObject({ source: text, destination: text })).nullish(),
  disk_mappings: z.array(z.looseObject({ disk_id: z.union([text, z.number()]), destination: text })).nullish(),
});

export const transferPayloadSchema = z.looseObject({
  id: text.optional(),
  scenario: text.nullish(),
  origin_endpoint_id: text,
  destination_endpoint_id: text,
  source_environment: object,
  destination_environment: object,
  instances: z.array(text).min(1).max(10_000),
  network_map: object,
  storage_mappings: storageMappingsSchema.nullish(),
  notes: text.nullish(),
  user_scripts: object,
  clone_disks: flag,
  skip_os_morphing: flag,
});
export type TransferPayload = z.infer<typeof transferPayloadSchema>;

export const deploymentPayloadSchema = z.looseObject({
  id: text.optional(),
  transfer_id: text,
  clone_disks: flag,
  skip_os_morphing: flag,
  force: flag,
  user_scripts: object,
});
export type DeploymentPayload = z.infer<typeof deploymentPayloadSchema>;

/** Everything that a file or a script holds, in the order in which it stands there. */
export interface Payloads {
  readonly endpoints: readonly EndpointPayload[];
  readonly transfers: readonly TransferPayload[];
  readonly deployments: readonly DeploymentPayload[];
}

/** Something that was not carried over, and why. */
export interface NotCarried {
  /** What it belongs to, e.g. the name of an endpoint. */
  readonly of: string;
  /** The member or the argument. */
  readonly what: string;
  readonly why: string;
}

/** Members that say something of an answer and are never sent. */
const answerMembers = [
  'id',
  'created_at',
  'updated_at',
  'deleted_at',
  'deleted',
  'project_id',
  'user_id',
  'executions',
  'last_execution_status',
  'reservation_id',
  'info',
  'base_id',
  'type',
  'transfer_result',
  'mapped_regions',
  'trust_id',
  'tasks',
  'transfer_scenario_type',
  'instances',
  'origin_endpoint_id',
  'destination_endpoint_id',
  'source_environment',
  'destination_environment',
  'network_map',
  'storage_mappings',
  'notes',
];

const reasons: Readonly<Record<string, string>> = {
  origin_minion_pool_id: 'Causeway has no pools of workers at sources',
  destination_minion_pool_id: 'Causeway starts its workers itself',
  instance_osmorphing_minion_pool_mappings: 'Causeway starts its workers itself',
  clustered: 'VMs with shared disks are not replicated together',
  regions: 'Causeway has no regions: it runs where it can reach both ends',
};

/** Members of a payload that nothing here is made of, and that hold something. */
export function unknownMembers(
  of: string,
  payload: Readonly<Record<string, unknown>>,
  known: readonly string[],
): readonly NotCarried[] {
  return Object.entries(payload)
    .filter(([key, value]) => !known.includes(key) && !answerMembers.includes(key) && !isEmpty(value))
    .map(([what]) => ({ of, what, why: reasons[what] ?? 'Causeway has nothing that corresponds to it' }));
}

function isEmpty(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    value === '' ||
    value === false ||
    (typeof value === 'object' && Object.keys(value).length === 0)
  );
}

/** @throws CausewayError with the places that do not fit, below `path` */
export function parsed<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.slice(0, 5).map((issue) => `${path}/${issue.path.join('/')}: ${issue.message}`);
  throw new CausewayError('general.invalid-input', problems.join('\n'), {
    details: { paths: result.error.issues.slice(0, 5).map((issue) => `${path}/${issue.path.join('/')}`) },
  });
}
