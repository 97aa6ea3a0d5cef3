import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Labels } from '../../../cloud-resources/labels.ts';
import type { ComputeApi } from './compute-api.ts';
import { objectName, tagsOf } from './object-names.ts';

const nicSchema = z.looseObject({
  ipnetwork: z.string().nullish(),
  ip: z.string().nullish(),
  address: z.array(z.string()).nullish().or(z.string().nullish()),
  model: z.string().nullish(),
  vnic: z.string().nullish(),
  nat: z.array(z.string()).nullish().or(z.string().nullish()),
  seclists: z.array(z.string()).nullish(),
});
const instanceSchema = z.looseObject({
  name: z.string(),
  label: z.string().nullish(),
  hostname: z.string().nullish(),
  shape: z.string(),
  state: z.string(),
  error_reason: z.string().nullish(),
  platform: z.string().nullish(),
  imagelist: z.string().nullish(),
  ip: z.string().nullish(),
  vcable_id: z.string().nullish(),
  boot_order: z.array(z.number()).nullish(),
  storage_attachments: z
    .array(z.looseObject({ index: z.number(), name: z.string().nullish(), storage_volume_name: z.string() }))
    .nullish(),
  networking: z.record(z.string(), nicSchema).nullish(),
  tags: z.array(z.string()).nullish(),
});
const planAnswer = z.looseObject({ instances: z.array(instanceSchema).min(1) });
const shapeSchema = z.looseObject({ name: z.string(), cpus: z.number(), ram: z.number() });
const imageListSchema = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  default: z.number().nullish(),
  entries: z
    .array(z.looseObject({ version: z.number().nullish(), machineimages: z.array(z.string()).nullish() }))
    .nullish(),
});
const keySchema = z.looseObject({ name: z.string(), enabled: z.boolean().nullish() });

export type ClassicInstance = z.infer<typeof instanceSchema>;
export type ClassicNic = z.infer<typeof nicSchema>;
export type ClassicShape = z.infer<typeof shapeSchema>;
export type ImageList = z.infer<typeof imageListSchema>;
export type SshKey = z.infer<typeof keySchema>;

export interface NewNic {
  /** Of the shared network: the lists that say who may come in. */
  readonly model?: 'e1000';
  readonly seclists?: readonly string[];
  /** Of an IP network. */
  readonly ipnetwork?: string;
  readonly vnic?: string;
  readonly is_default_gateway?: boolean;
  readonly nat?: readonly string[];
}

export interface NewInstance {
  readonly name: string;
  readonly label: string;
  readonly hostname: string;
  readonly shape: string;
  readonly labels: Labels;
  readonly imageList?: { readonly name: string; readonly entry: number };
  /** Index and name. They can't be detached as long as the instance lives. */
  readonly volumes: readonly { readonly index: number; readonly volume: string }[];
  readonly sshkeys: readonly string[];
  readonly networking: Readonly<Record<string, NewNic>>;
  /** What the image's own initialization reads. */
  readonly attributes?: object;
}

export interface Compute {
  instances(signal: AbortSignal): Promise<readonly ClassicInstance[]>;
  instance(name: string, signal: AbortSignal): Promise<ClassicInstance | undefined>;
  launch(instance: NewInstance, signal: AbortSignal): Promise<ClassicInstance>;
  deleteInstance(name: string, signal: AbortSignal): Promise<void>;
  shapes(signal: AbortSignal): Promise<readonly ClassicShape[]>;
  /** Those of the platform, and the account's own. */
  imageLists(signal: AbortSignal): Promise<readonly ImageList[]>;
  sshKeys(signal: AbortSignal): Promise<readonly SshKey[]>;
}

export function computeOf(
  api: ComputeApi,
  { account, user }: { readonly account: string; readonly user: string },
): Compute {
  const path = '/instance';
  const container = `${account}/`;
  return {
    instances: (signal) => api.list(instanceSchema, 'instances', path, container, signal),
    instance: (name, signal) => api.get(instanceSchema, 'instance', path, name, signal),
    async launch(
      { name, label, hostname, shape, labels, imageList, volumes, sshkeys, networking, attributes },
      signal,
    ) {
      const plan = {
        instances: [
          {
            name: objectName(user, name),
            label,
            hostname,
            shape,
            tags: tagsOf(labels),
            sshkeys,
            networking,
            ...(imageList === undefined ? { imagelist: '' } : { imagelist: imageList.name, entry: imageList.entry }),
            ...(volumes.length === 0 ? {} : { storage_attachments: volumes }),
            // The volume that is to boot has index 1.
            ...(imageList === undefined ? { boot_order: [1] } : {}),
            ...(attributes === undefined ? {} : { attributes }),
          },
        ],
      };
      const [launched] = (await api.create(planAnswer, `launch plan of instance ${name}`, '/launchplan', plan, signal))
        .instances;
      if (launched === undefined)
        throw new CausewayError('cloud.unexpected-answer', `launch instance ${name}: the answer names no instance`);
      return launched;
    },
    deleteInstance: (name, signal) => api.delete('instance', path, name, signal),
    shapes: (signal) => api.list(shapeSchema, 'shapes', '/shape', '/', signal),
    async imageLists(signal) {
      const [platform, own] = await Promise.all(
        ['/oracle/public/', container].map((each) =>
          api.list(imageListSchema, 'image lists', '/imagelist', each, signal),
        ),
      );
      return [...(platform ?? []), ...(own ?? [])];
    },
    sshKeys: (signal) => api.list(keySchema, 'SSH keys', '/sshkey', container, signal),
  };
}
