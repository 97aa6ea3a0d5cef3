import { join } from 'node:path';
import { z } from 'zod';
import { afterBootChecksSchema } from '../../../shared/model/after-boot-check.ts';
import { jsonObjectSchema, type Endpoint } from '../../../shared/model/endpoint.ts';
import { pluginIds } from '../../../shared/model/plugin-id.ts';
import { clearedSchema, type Replica } from '../../../shared/model/replica.ts';
import { namedFiles, stableText, type NamedFiles } from './named-files.ts';

const name = z.string().min(1).max(200);
const id = z.string().regex(/^[a-z]{2,5}-[A-Za-z0-9-]{4,80}$/);

/** An endpoint as people share it, with its connection where they share that too; secrets are references. When it was changed is not said: that would never merge. */
const endpointFileSchema = z.strictObject({
  id,
  name,
  plugin: z.enum(pluginIds),
  connection: jsonObjectSchema.optional(),
  createdAt: z.iso.datetime(),
});
export type EndpointFile = z.infer<typeof endpointFileSchema>;

/** A replica's settings. What executions created belongs to the computer that ran them. */
const replicaFileSchema = z.strictObject({
  id,
  name,
  /** Ids of its endpoints. */
  source: id,
  destination: id,
  vm: z.strictObject({ id: z.string().min(1).max(1000), name: z.string().max(1000) }),
  sourceEnvironment: jsonObjectSchema,
  destinationEnvironment: jsonObjectSchema,
  /** Lines of the INI file. */
  providerConfiguration: z.array(z.string()).optional(),
  wave: name.optional(),
  cleared: clearedSchema.optional(),
  checks: afterBootChecksSchema.optional(),
  createdAt: z.iso.datetime(),
});
export type ReplicaFile = z.infer<typeof replicaFileSchema>;

/** The part of a replica that its file holds. */
export type DescribedReplica = Omit<Replica, 'disks' | 'lastSuccess' | 'lastExecutionId'>;

/** What a project's people share of its endpoints and replicas. */
export interface DescriptionFiles {
  readonly endpoints: NamedFiles<EndpointFile>;
  readonly replicas: NamedFiles<ReplicaFile>;
}

export function descriptionFiles(projectFolder: string): DescriptionFiles {
  const damaged = 'engine.description-damaged';
  return {
    endpoints: namedFiles({
      folder: join(projectFolder, 'endpoints'),
      schema: endpointFileSchema,
      damaged,
      textOf: stableText,
    }),
    replicas: namedFiles({
      folder: join(projectFolder, 'replicas'),
      schema: replicaFileSchema,
      damaged,
      textOf: stableText,
    }),
  };
}

export function endpointFile({ id: endpointId, name: called, plugin, connection, createdAt }: Endpoint): EndpointFile {
  return {
    id: endpointId,
    name: called,
    plugin,
    ...(Object.keys(connection).length === 0 ? {} : { connection }),
    createdAt,
  };
}

export function replicaFile(replica: DescribedReplica): ReplicaFile {
  return {
    id: replica.id,
    name: replica.name,
    source: replica.sourceEndpointId,
    destination: replica.destinationEndpointId,
    vm: { id: replica.vmId, name: replica.vmName },
    sourceEnvironment: replica.sourceEnvironment,
    destinationEnvironment: replica.destinationEnvironment,
    ...(replica.providerConfiguration === undefined
      ? {}
      : { providerConfiguration: replica.providerConfiguration.split('\n') }),
    ...(replica.wave === undefined ? {} : { wave: replica.wave }),
    ...(replica.cleared === undefined ? {} : { cleared: replica.cleared }),
    ...(replica.checks === undefined || replica.checks.length === 0 ? {} : { checks: replica.checks }),
    createdAt: replica.createdAt,
  };
}

export function describedReplica(file: ReplicaFile): DescribedReplica {
  return {
    id: file.id,
    name: file.name,
    sourceEndpointId: file.source,
    destinationEndpointId: file.destination,
    vmId: file.vm.id,
    vmName: file.vm.name,
    sourceEnvironment: file.sourceEnvironment,
    destinationEnvironment: file.destinationEnvironment,
    ...(file.providerConfiguration === undefined
      ? {}
      : { providerConfiguration: file.providerConfiguration.join('\n') }),
    ...(file.wave === undefined ? {} : { wave: file.wave }),
    ...(file.cleared === undefined ? {} : { cleared: file.cleared }),
    ...(file.checks === undefined ? {} : { checks: file.checks }),
    createdAt: file.createdAt,
  };
}
