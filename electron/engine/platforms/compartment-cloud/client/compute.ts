import { z } from 'zod';
import type { Labels } from '../../../cloud-resources/labels.ts';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { tagsSchema } from './block-storage.ts';
import type { ServiceApi } from './service-api.ts';

const instanceSchema = z.looseObject({
  id: z.string(),
  displayName: z.string().nullish(),
  lifecycleState: z.string(),
  availabilityDomain: z.string(),
  compartmentId: z.string(),
  shape: z.string(),
  imageId: z.string().nullish(),
  freeformTags: tagsSchema,
});
const volumeAttachmentSchema = z.looseObject({
  id: z.string(),
  instanceId: z.string(),
  volumeId: z.string(),
  lifecycleState: z.string(),
  attachmentType: z.string(),
  device: z.string().nullish(),
  timeCreated: z.string().nullish(),
  iqn: z.string().nullish(),
  ipv4: z.string().nullish(),
  port: z.number().nullish(),
  chapUsername: z.string().nullish(),
  chapSecret: z.string().nullish(),
});
const bootVolumeAttachmentSchema = z.looseObject({
  id: z.string(),
  instanceId: z.string(),
  bootVolumeId: z.string(),
  lifecycleState: z.string(),
});
const vnicAttachmentSchema = z.looseObject({
  id: z.string(),
  instanceId: z.string(),
  displayName: z.string().nullish(),
  vnicId: z.string().nullish(),
  subnetId: z.string().nullish(),
  lifecycleState: z.string(),
});
const deviceSchema = z.looseObject({ name: z.string(), isAvailable: z.boolean().nullish() });
const shapeSchema = z.looseObject({
  shape: z.string(),
  processorDescription: z.string().nullish(),
  ocpus: z.number().nullish(),
  memoryInGBs: z.number().nullish(),
  gpus: z.number().nullish(),
  maxVnicAttachments: z.number().nullish(),
  isFlexible: z.boolean().nullish(),
  ocpuOptions: z.looseObject({ min: z.number().nullish(), max: z.number().nullish() }).nullish(),
  memoryOptions: z
    .looseObject({
      minInGBs: z.number().nullish(),
      maxInGBs: z.number().nullish(),
      defaultPerOcpuInGBs: z.number().nullish(),
      minPerOcpuInGBs: z.number().nullish(),
      maxPerOcpuInGBs: z.number().nullish(),
    })
    .nullish(),
  maxVnicAttachmentOptions: z
    .looseObject({ min: z.number().nullish(), max: z.number().nullish(), defaultPerOcpu: z.number().nullish() })
    .nullish(),
  quotaNames: z.array(z.string()).nullish(),
});
const historySchema = z.looseObject({ id: z.string(), lifecycleState: z.string() });

export type OciInstance = z.infer<typeof instanceSchema>;
export type VolumeAttachment = z.infer<typeof volumeAttachmentSchema>;
export type BootVolumeAttachment = z.infer<typeof bootVolumeAttachmentSchema>;
export type VnicAttachment = z.infer<typeof vnicAttachmentSchema>;
export type OciShape = z.infer<typeof shapeSchema>;

export const attachmentTypes = ['paravirtualized', 'iscsi', 'emulated'] as const;
export type AttachmentType = (typeof attachmentTypes)[number];

export interface NewVnic {
  readonly subnetId: string;
  readonly nsgIds?: readonly string[];
  readonly assignPublicIp: boolean;
  readonly displayName?: string;
  readonly freeformTags?: Labels;
}

export interface LaunchOptions {
  readonly bootVolumeType: 'SCSI' | 'PARAVIRTUALIZED';
  readonly firmware: 'BIOS' | 'UEFI_64';
  readonly networkType: 'E1000' | 'PARAVIRTUALIZED';
  readonly remoteDataVolumeType: 'SCSI' | 'PARAVIRTUALIZED';
  readonly isConsistentVolumeNamingEnabled?: boolean;
}

export interface NewInstance {
  readonly compartmentId: string;
  readonly availabilityDomain: string;
  readonly displayName: string;
  readonly shape: string;
  readonly shapeConfig?: { readonly ocpus: number; readonly memoryInGBs: number };
  readonly sourceDetails:
    | {
        readonly sourceType: 'image';
        readonly imageId: string;
        readonly bootVolumeSizeInGBs?: number;
        readonly bootVolumeVpusPerGB?: number;
      }
    | { readonly sourceType: 'bootVolume'; readonly bootVolumeId: string };
  readonly createVnicDetails: NewVnic;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly launchOptions?: LaunchOptions;
  readonly launchVolumeAttachments?: readonly {
    readonly type: AttachmentType;
    readonly volumeId: string;
    readonly displayName: string;
  }[];
  readonly freeformTags: Labels;
}

export interface Compute {
  list(compartmentId: string, signal: AbortSignal): Promise<readonly OciInstance[]>;
  get(id: string, signal: AbortSignal): Promise<OciInstance | undefined>;
  launch(instance: NewInstance, signal: AbortSignal): Promise<OciInstance>;
  terminate(id: string, preserveBootVolume: boolean, signal: AbortSignal): Promise<void>;
  act(id: string, action: 'START' | 'STOP', signal: AbortSignal): Promise<void>;
  /** Names below `/dev` that a volume can be given; none where the image of the instance has no such names. */
  devices(id: string, signal: AbortSignal): Promise<readonly string[]>;
  attach(
    attachment: {
      readonly type: AttachmentType;
      readonly instanceId: string;
      readonly volumeId: string;
      readonly device?: string;
      readonly useChap?: boolean;
    },
    signal: AbortSignal,
  ): Promise<VolumeAttachment>;
  attachment(id: string, signal: AbortSignal): Promise<VolumeAttachment | undefined>;
  /** Those that are not over. */
  attachments(
    of: { readonly compartmentId: string; readonly volumeId?: string; readonly instanceId?: string },
    signal: AbortSignal,
  ): Promise<readonly VolumeAttachment[]>;
  detach(attachmentId: string, signal: AbortSignal): Promise<void>;
  /** Instances that boot from a volume, and the volumes that instances boot from. */
  bootAttachments(
    of: {
      readonly compartmentId: string;
      readonly availabilityDomain: string;
      readonly bootVolumeId?: string;
      readonly instanceId?: string;
    },
    signal: AbortSignal,
  ): Promise<readonly BootVolumeAttachment[]>;
  vnicAttachments(
    of: { readonly compartmentId: string; readonly instanceId: string },
    signal: AbortSignal,
  ): Promise<readonly VnicAttachment[]>;
  attachVnic(instanceId: string, displayName: string, vnic: NewVnic, signal: AbortSignal): Promise<VnicAttachment>;
  shapes(
    compartmentId: string,
    availabilityDomain: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly OciShape[]>;
  captureConsole(instanceId: string, signal: AbortSignal): Promise<z.infer<typeof historySchema>>;
  console(id: string, signal: AbortSignal): Promise<z.infer<typeof historySchema> | undefined>;
  consoleText(id: string, signal: AbortSignal): Promise<string>;
  deleteConsole(id: string, signal: AbortSignal): Promise<void>;
}

const base = '/20160918';
const isOver = ({ lifecycleState }: { readonly lifecycleState: string }): boolean => lifecycleState === 'DETACHED';

export function computeOf(api: ServiceApi): Compute {
  const instance = (id: string): string => `${base}/instances/${encodeURIComponent(id)}`;
  const history = (id: string): string => `${base}/instanceConsoleHistories/${encodeURIComponent(id)}`;
  return {
    list: (compartmentId, signal) =>
      api.list(instanceSchema, 'list instances', `${base}/instances`, { compartmentId }, signal),
    get: (id, signal) =>
      api.find(instanceSchema, { operation: `read instance ${id}`, method: 'GET', path: instance(id) }, signal),
    launch: (instance, signal) =>
      api.create(instanceSchema, `launch instance ${instance.displayName}`, `${base}/instances`, instance, signal),
    async terminate(id, preserveBootVolume, signal) {
      const query = { preserveBootVolume: String(preserveBootVolume), preserveDataVolumesCreatedAtLaunch: 'true' };
      await api.remove({ operation: `terminate instance ${id}`, path: instance(id), query }, signal);
    },
    async act(id, action, signal) {
      // Starting what runs and stopping what is off are refused as conflicts, so that repeating does no harm.
      await api.send(
        {
          operation: `${action.toLowerCase()} instance ${id}`,
          method: 'POST',
          path: instance(id),
          query: { action },
          idempotent: true,
        },
        signal,
      );
    },
    async devices(id, signal) {
      const all = await api.list(
        deviceSchema,
        `list devices of instance ${id}`,
        `${instance(id)}/devices`,
        { isAvailable: 'true' },
        signal,
      );
      return all.filter(({ isAvailable }) => isAvailable !== false).map(({ name }) => name);
    },
    attach: (attachment, signal) =>
      api.create(
        volumeAttachmentSchema,
        `attach volume ${attachment.volumeId} to instance ${attachment.instanceId}`,
        `${base}/volumeAttachments`,
        attachment,
        signal,
      ),
    attachment: (id, signal) =>
      api.find(
        volumeAttachmentSchema,
        {
          operation: `read attachment ${id}`,
          method: 'GET',
          path: `${base}/volumeAttachments/${encodeURIComponent(id)}`,
        },
        signal,
      ),
    attachments: async (of, signal) =>
      (
        await api.list(
          volumeAttachmentSchema,
          'list volume attachments',
          `${base}/volumeAttachments`,
          { ...of },
          signal,
        )
      ).filter((each) => !isOver(each)),
    detach: (id, signal) =>
      api.remove(
        { operation: `detach volume: ${id}`, path: `${base}/volumeAttachments/${encodeURIComponent(id)}` },
        signal,
      ),
    bootAttachments: async (of, signal) =>
      (
        await api.list(
          bootVolumeAttachmentSchema,
          'list boot volume attachments',
          `${base}/bootVolumeAttachments`,
          { ...of },
          signal,
        )
      ).filter((each) => !isOver(each)),
    vnicAttachments: async (of, signal) =>
      (
        await api.list(vnicAttachmentSchema, 'list VNIC attachments', `${base}/vnicAttachments`, { ...of }, signal)
      ).filter((each) => !isOver(each)),
    attachVnic: (instanceId, displayName, createVnicDetails, signal) =>
      api.create(
        vnicAttachmentSchema,
        `attach VNIC ${displayName} to instance ${instanceId}`,
        `${base}/vnicAttachments`,
        { instanceId, displayName, createVnicDetails },
        signal,
      ),
    shapes: async (compartmentId, availabilityDomain, signal) => {
      const all = await api.list(
        shapeSchema,
        'list shapes',
        `${base}/shapes`,
        { compartmentId, availabilityDomain },
        signal,
      );
      // Without an availability domain a shape is listed once for each.
      return all.filter((shape, index) => all.findIndex((other) => other.shape === shape.shape) === index);
    },
    captureConsole: (instanceId, signal) =>
      api.create(
        historySchema,
        `capture the console of instance ${instanceId}`,
        `${base}/instanceConsoleHistories`,
        { instanceId },
        signal,
      ),
    console: (id, signal) =>
      api.find(historySchema, { operation: `read console history ${id}`, method: 'GET', path: history(id) }, signal),
    async consoleText(id, signal) {
      const answer = await api.send(
        {
          operation: `read console history ${id}`,
          method: 'GET',
          path: `${history(id)}/data`,
          query: { length: '1048576' },
          bytes: true,
        },
        signal,
      );
      if (answer.body instanceof Uint8Array) return Buffer.from(answer.body).toString('utf8');
      throw new CausewayError('cloud.unexpected-answer', `read console history ${id}: not text`);
    },
    deleteConsole: (id, signal) => api.remove({ operation: `delete console history ${id}`, path: history(id) }, signal),
  };
}
