import { z } from 'zod';
import { isStatus } from '../../../http/http-error.ts';
import type { ServiceApi } from './service-api.ts';
import { queryOf, segment } from './wire.ts';

const metadataSchema = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((metadata) => metadata ?? {});

const volumeSchema = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  /** Open set: creating, available, in-use, attaching, detaching, reserved, error… A volume that is just being made may have none yet. */
  status: z
    .string()
    .nullable()
    .transform((status) => status ?? 'creating'),
  /** GiB. */
  size: z.number(),
  volume_type: z.string().nullish(),
  availability_zone: z.string().nullish(),
  /** `true` or `false` as text. */
  bootable: z.string().optional(),
  metadata: metadataSchema,
  volume_image_metadata: z.record(z.string(), z.unknown()).optional(),
  attachments: z
    .array(
      z.looseObject({
        server_id: z.string().nullish(),
        device: z.string().nullish(),
        attachment_id: z.string().optional(),
      }),
    )
    .default([]),
  snapshot_id: z.string().nullish(),
  encrypted: z.boolean().optional(),
  multiattach: z.boolean().optional(),
  'os-vol-host-attr:host': z.string().nullish(),
  'os-vol-tenant-attr:tenant_id': z.string().nullish(),
});

export type CloudVolume = z.infer<typeof volumeSchema>;

const snapshotSchema = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  volume_id: z.string(),
  status: z.string(),
  size: z.number(),
  metadata: metadataSchema,
  created_at: z.string().optional(),
});

export type CloudSnapshot = z.infer<typeof snapshotSchema>;

const backupSchema = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  volume_id: z.string(),
  status: z.string(),
  size: z.number(),
  fail_reason: z.string().nullish(),
  container: z.string().nullish(),
  object_count: z.number().nullish(),
  is_incremental: z.boolean().optional(),
  has_dependent_backups: z.boolean().optional(),
  snapshot_id: z.string().nullish(),
  created_at: z.string().optional(),
  data_timestamp: z.string().nullish(),
  metadata: metadataSchema,
});

export type CloudBackup = z.infer<typeof backupSchema>;

const attachmentSchema = z.looseObject({
  id: z.string(),
  status: z.string(),
  /** The server; it may be gone. */
  instance: z.string().nullish(),
});

export type VolumeAttachment = z.infer<typeof attachmentSchema>;

const volumeTypeSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  is_public: z.boolean().optional(),
  extra_specs: z.record(z.string(), z.string()).optional(),
});

export type VolumeType = z.infer<typeof volumeTypeSchema>;

const quotaSchema = z.looseObject({ limit: z.number(), in_use: z.number(), reserved: z.number().default(0) });

export interface NewVolume {
  readonly name: string;
  /** GiB. */
  readonly size: number;
  readonly volume_type?: string;
  readonly availability_zone?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly snapshot_id?: string;
  readonly source_volid?: string;
  readonly imageRef?: string;
}

export interface NewBackup {
  readonly volume_id: string;
  readonly name: string;
  readonly container?: string;
  readonly incremental: boolean;
  /** Allows the backup of a volume that is in use. */
  readonly force: boolean;
  readonly snapshot_id?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface Volumes {
  list(
    filter: { readonly name?: string; readonly metadata?: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<readonly CloudVolume[]>;
  get(id: string, signal: AbortSignal): Promise<CloudVolume | undefined>;
  create(volume: NewVolume, signal: AbortSignal): Promise<CloudVolume>;
  /** Adds to the metadata, and overwrites what it has under the same keys. */
  setMetadata(id: string, metadata: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>;
  setBootable(id: string, bootable: boolean, signal: AbortSignal): Promise<void>;
  /** Adds to the image metadata, and overwrites what it has under the same keys. */
  setImageMetadata(id: string, metadata: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>;
  /** "Not there" is done. */
  unsetImageMetadata(id: string, key: string, signal: AbortSignal): Promise<void>;
  /** Only grows, and only a volume that is not in use. Not repeated by itself. @param size GiB */
  extend(id: string, size: number, signal: AbortSignal): Promise<void>;
  /** Gives a volume that is not in use the content of its latest snapshot back. */
  revert(id: string, snapshotId: string, signal: AbortSignal): Promise<void>;
  delete(id: string, signal: AbortSignal): Promise<void>;
}

export interface Snapshots {
  list(
    filter: {
      readonly name?: string;
      readonly volumeId?: string;
      readonly metadata?: Readonly<Record<string, string>>;
    },
    signal: AbortSignal,
  ): Promise<readonly CloudSnapshot[]>;
  get(id: string, signal: AbortSignal): Promise<CloudSnapshot | undefined>;
  create(
    snapshot: {
      readonly volume_id: string;
      readonly name: string;
      readonly force: boolean;
      readonly metadata?: Readonly<Record<string, string>>;
    },
    signal: AbortSignal,
  ): Promise<CloudSnapshot>;
  delete(id: string, signal: AbortSignal): Promise<void>;
}

export interface Backups {
  list(
    filter: { readonly name?: string; readonly volumeId?: string },
    signal: AbortSignal,
  ): Promise<readonly CloudBackup[]>;
  get(id: string, signal: AbortSignal): Promise<CloudBackup | undefined>;
  create(backup: NewBackup, signal: AbortSignal): Promise<{ readonly id: string }>;
  delete(id: string, signal: AbortSignal): Promise<void>;
}

/** What servers hold of volumes, as the volume service knows it. */
export interface Attachments {
  /** Those of one volume. */
  list(volumeId: string, signal: AbortSignal): Promise<readonly VolumeAttachment[]>;
  delete(id: string, signal: AbortSignal): Promise<void>;
}

/** What a project may have and has, by resource: `volumes`, `gigabytes`, `snapshots`, and each with `_<type>`. -1: no limit. */
export type VolumeQuotas = Readonly<
  Record<string, { readonly limit: number; readonly in_use: number; readonly reserved: number }>
>;

export interface VolumeService {
  readonly volumes: Volumes;
  readonly snapshots: Snapshots;
  readonly backups: Backups;
  readonly attachments: Attachments;
  types(signal: AbortSignal): Promise<readonly VolumeType[]>;
  quotas(projectId: string, signal: AbortSignal): Promise<VolumeQuotas>;
}

const found = (metadata: Readonly<Record<string, string>> | undefined): string | undefined =>
  // The service reads this parameter as the text of a Python dictionary, of which JSON with plain texts is one.
  metadata === undefined ? undefined : JSON.stringify(metadata);

export function volumeServiceOf(api: ServiceApi): VolumeService {
  return {
    volumes: volumesOf(api),
    snapshots: snapshotsOf(api),
    backups: backupsOf(api),
    attachments: attachmentsOf(api),
    types: (signal) =>
      api.list(volumeTypeSchema, { operation: 'list volume types', path: '/types', key: 'volume_types' }, signal),
    async quotas(projectId, signal) {
      const answer = await api.readIn(
        'quota_set',
        z.record(z.string(), z.unknown()),
        {
          operation: 'read the quotas of volumes',
          method: 'GET',
          path: `/os-quota-sets/${segment(projectId)}`,
          query: { usage: 'True' },
        },
        signal,
      );
      return Object.fromEntries(
        Object.entries(answer).flatMap(([name, value]) => {
          const quota = quotaSchema.safeParse(value);
          return quota.success ? [[name, quota.data]] : [];
        }),
      );
    },
  };
}

function volumesOf(api: ServiceApi): Volumes {
  const one = (id: string): string => `/volumes/${segment(id)}`;
  const act = async (
    id: string,
    operation: string,
    action: object,
    signal: AbortSignal,
    idempotent: boolean,
  ): Promise<void> => {
    await api.send(
      { operation: `${operation} volume ${id}`, method: 'POST', path: `${one(id)}/action`, json: action, idempotent },
      signal,
    );
  };
  return {
    list: ({ name, metadata }, signal) =>
      api.list(
        volumeSchema,
        {
          operation: 'list volumes',
          path: '/volumes/detail',
          key: 'volumes',
          query: queryOf({ name, metadata: found(metadata) }),
        },
        signal,
      ),
    get: (id, signal) =>
      api.findIn('volume', volumeSchema, { operation: `read volume ${id}`, method: 'GET', path: one(id) }, signal),
    create: (volume, signal) =>
      api.readIn(
        'volume',
        volumeSchema,
        { operation: `create volume ${volume.name}`, method: 'POST', path: '/volumes', json: { volume } },
        signal,
      ),
    async setMetadata(id, metadata, signal) {
      await api.send(
        {
          operation: `set metadata of volume ${id}`,
          method: 'POST',
          path: `${one(id)}/metadata`,
          json: { metadata },
          idempotent: true,
        },
        signal,
      );
    },
    setBootable: (id, bootable, signal) => act(id, 'make bootable', { 'os-set_bootable': { bootable } }, signal, true),
    setImageMetadata: (id, metadata, signal) =>
      act(id, 'set image metadata of', { 'os-set_image_metadata': { metadata } }, signal, true),
    async unsetImageMetadata(id, key, signal) {
      try {
        await act(id, `remove ${key} from the image metadata of`, { 'os-unset_image_metadata': { key } }, signal, true);
      } catch (error) {
        if (!isStatus(error, 404)) throw error;
      }
    },
    revert: (id, snapshot_id, signal) => act(id, 'reset', { revert: { snapshot_id } }, signal, false),
    extend: (id, size, signal) => act(id, `extend to ${size} GiB`, { 'os-extend': { new_size: size } }, signal, false),
    delete: (id, signal) => api.remove({ operation: `delete volume ${id}`, path: one(id) }, signal),
  };
}

function snapshotsOf(api: ServiceApi): Snapshots {
  const one = (id: string): string => `/snapshots/${segment(id)}`;
  return {
    list: ({ name, volumeId, metadata }, signal) =>
      api.list(
        snapshotSchema,
        {
          operation: 'list snapshots',
          path: '/snapshots/detail',
          key: 'snapshots',
          query: queryOf({ name, volume_id: volumeId, metadata: found(metadata) }),
        },
        signal,
      ),
    get: (id, signal) =>
      api.findIn(
        'snapshot',
        snapshotSchema,
        { operation: `read snapshot ${id}`, method: 'GET', path: one(id) },
        signal,
      ),
    create: (snapshot, signal) =>
      api.readIn(
        'snapshot',
        snapshotSchema,
        { operation: `create snapshot ${snapshot.name}`, method: 'POST', path: '/snapshots', json: { snapshot } },
        signal,
      ),
    delete: (id, signal) => api.remove({ operation: `delete snapshot ${id}`, path: one(id) }, signal),
  };
}

function backupsOf(api: ServiceApi): Backups {
  const one = (id: string): string => `/backups/${segment(id)}`;
  return {
    list: ({ name, volumeId }, signal) =>
      api.list(
        backupSchema,
        {
          operation: 'list backups',
          path: '/backups/detail',
          key: 'backups',
          query: queryOf({ name, volume_id: volumeId }),
        },
        signal,
      ),
    get: (id, signal) =>
      api.findIn('backup', backupSchema, { operation: `read backup ${id}`, method: 'GET', path: one(id) }, signal),
    create: (backup, signal) =>
      api.readIn(
        'backup',
        z.looseObject({ id: z.string() }),
        { operation: `create backup ${backup.name}`, method: 'POST', path: '/backups', json: { backup } },
        signal,
      ),
    delete: (id, signal) => api.remove({ operation: `delete backup ${id}`, path: one(id) }, signal),
  };
}

function attachmentsOf(api: ServiceApi): Attachments {
  return {
    list: (volumeId, signal) =>
      api.list(
        attachmentSchema,
        {
          operation: `list attachments of volume ${volumeId}`,
          path: '/attachments',
          key: 'attachments',
          query: queryOf({ volume_id: volumeId }),
        },
        signal,
      ),
    delete: (id, signal) =>
      api.remove({ operation: `delete attachment ${id}`, path: `/attachments/${segment(id)}` }, signal),
  };
}
