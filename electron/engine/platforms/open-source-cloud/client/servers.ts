import { z } from 'zod';
import type { ServiceApi } from './service-api.ts';
import { segment } from './wire.ts';

const addressSchema = z.looseObject({
  addr: z.string(),
  version: z.number(),
  /** `fixed` or `floating`. */
  'OS-EXT-IPS:type': z.string().optional(),
  'OS-EXT-IPS-MAC:mac_addr': z.string().optional(),
});

const serverSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  /** Open set: BUILD, ACTIVE, SHUTOFF, ERROR, DELETED… */
  status: z.string(),
  metadata: z.record(z.string(), z.string()).default({}),
  tags: z.array(z.string()).default([]),
  addresses: z.record(z.string(), z.array(addressSchema)).default({}),
  /** Empty text for a server that was booted from a volume. */
  image: z.union([z.string(), z.looseObject({ id: z.string() })]).nullish(),
  flavor: z
    .looseObject({
      original_name: z.string().optional(),
      vcpus: z.number().optional(),
      ram: z.number().optional(),
      disk: z.number().optional(),
      /** GiB. */
      ephemeral: z.number().optional(),
      /** MiB. Some versions say an empty text for none. */
      swap: z.union([z.number(), z.string().transform(Number)]).optional(),
    })
    .optional(),
  key_name: z.string().nullish(),
  config_drive: z.string().nullish(),
  created: z.string().optional(),
  fault: z.looseObject({ message: z.string().optional(), code: z.number().optional() }).nullish(),
  security_groups: z.array(z.looseObject({ name: z.string() })).nullish(),
  'os-extended-volumes:volumes_attached': z
    .array(z.looseObject({ id: z.string(), delete_on_termination: z.boolean().optional() }))
    .default([]),
  'OS-EXT-STS:task_state': z.string().nullish(),
  'OS-EXT-STS:vm_state': z.string().nullish(),
  /** 1 running, 3 paused, 4 shut down… */
  'OS-EXT-STS:power_state': z.number().nullish(),
  'OS-EXT-AZ:availability_zone': z.string().nullish(),
});

export type Server = z.infer<typeof serverSchema>;

const attachmentSchema = z.looseObject({
  volumeId: z.string(),
  serverId: z.string().optional(),
  device: z.string().nullish(),
});

export type VolumeAttachment = z.infer<typeof attachmentSchema>;

const interfaceSchema = z.looseObject({
  port_id: z.string(),
  net_id: z.string().optional(),
  mac_addr: z.string(),
  port_state: z.string().optional(),
  fixed_ips: z.array(z.looseObject({ ip_address: z.string(), subnet_id: z.string().optional() })).nullish(),
});

export type ServerInterface = z.infer<typeof interfaceSchema>;

/** One entry of `block_device_mapping_v2`. Sizes in GiB. */
export interface BlockDevice {
  readonly source_type: 'volume' | 'image' | 'snapshot' | 'blank';
  readonly destination_type: 'volume' | 'local';
  readonly uuid?: string;
  /** 0: the server boots from it. -1: not a boot device. */
  readonly boot_index: number;
  readonly volume_size?: number;
  readonly volume_type?: string;
  readonly disk_bus?: string;
  readonly delete_on_termination: boolean;
}

export interface NewServer {
  readonly name: string;
  readonly flavorRef: string;
  readonly imageRef?: string;
  readonly key_name?: string;
  readonly availability_zone?: string;
  readonly networks: readonly { readonly port: string }[] | 'none';
  readonly block_device_mapping_v2?: readonly BlockDevice[];
  readonly config_drive?: boolean;
  /** Base64. */
  readonly user_data?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
}

export interface Servers {
  /** Those of the project; `name` is matched as a regular expression by the cloud, so it is quoted here. */
  list(filter: { readonly name?: string }, signal: AbortSignal): Promise<readonly Server[]>;
  get(id: string, signal: AbortSignal): Promise<Server | undefined>;
  /** @param hints scheduler hints, e.g. the id of a server group as `group` */
  create(
    server: NewServer,
    hints: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<{ readonly id: string }>;
  delete(id: string, signal: AbortSignal): Promise<void>;
  stop(id: string, signal: AbortSignal): Promise<void>;
  start(id: string, signal: AbortSignal): Promise<void>;
  /** Makes an image of a server; resolves with the id of the image, which is not ready then. */
  createImage(
    id: string,
    name: string,
    metadata: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<string>;
  /** The console's text so far, at most its last `lines`. */
  consoleText(id: string, lines: number, signal: AbortSignal): Promise<string>;
  attachments(id: string, signal: AbortSignal): Promise<readonly VolumeAttachment[]>;
  attach(id: string, volumeId: string, signal: AbortSignal): Promise<void>;
  /** Not attached is done. */
  detach(id: string, volumeId: string, signal: AbortSignal): Promise<void>;
  interfaces(id: string, signal: AbortSignal): Promise<readonly ServerInterface[]>;
}

export function serversOf(api: ServiceApi): Servers {
  const one = (id: string): string => `/servers/${segment(id)}`;
  const act = async (
    id: string,
    operation: string,
    action: object,
    signal: AbortSignal,
    idempotent = false,
  ): Promise<unknown> =>
    (
      await api.send(
        { operation: `${operation} server ${id}`, method: 'POST', path: `${one(id)}/action`, json: action, idempotent },
        signal,
      )
    ).body;
  return {
    list: ({ name }, signal) =>
      api.list(
        serverSchema,
        {
          operation: 'list servers',
          path: '/servers/detail',
          key: 'servers',
          query: name === undefined ? {} : { name: `^${escaped(name)}$` },
        },
        signal,
      ),
    get: (id, signal) =>
      api.findIn('server', serverSchema, { operation: `read server ${id}`, method: 'GET', path: one(id) }, signal),
    create: (server, hints, signal) =>
      api.readIn(
        'server',
        z.looseObject({ id: z.string() }),
        {
          operation: `create server ${server.name}`,
          method: 'POST',
          path: '/servers',
          json: { server, ...(Object.keys(hints).length === 0 ? {} : { 'os:scheduler_hints': hints }) },
        },
        signal,
      ),
    delete: (id, signal) => api.remove({ operation: `delete server ${id}`, path: one(id) }, signal),
    async stop(id, signal) {
      await act(id, 'stop', { 'os-stop': null }, signal);
    },
    async start(id, signal) {
      await act(id, 'start', { 'os-start': null }, signal);
    },
    async createImage(id, name, metadata, signal) {
      return z
        .looseObject({ image_id: z.string() })
        .parse(await act(id, `make image ${name} of`, { createImage: { name, metadata } }, signal)).image_id;
    },
    async consoleText(id, lines, signal) {
      const body = await act(id, 'read the console of', { 'os-getConsoleOutput': { length: lines } }, signal, true);
      return z.looseObject({ output: z.string().nullish() }).parse(body ?? {}).output ?? '';
    },
    attachments: (id, signal) =>
      api.list(
        attachmentSchema,
        {
          operation: `list volumes of server ${id}`,
          path: `${one(id)}/os-volume_attachments`,
          key: 'volumeAttachments',
        },
        signal,
      ),
    async attach(id, volumeId, signal) {
      await api.send(
        {
          operation: `attach volume ${volumeId} to server ${id}`,
          method: 'POST',
          path: `${one(id)}/os-volume_attachments`,
          json: { volumeAttachment: { volumeId } },
        },
        signal,
      );
    },
    detach: (id, volumeId, signal) =>
      api.remove(
        {
          operation: `detach volume ${volumeId} from server ${id}`,
          path: `${one(id)}/os-volume_attachments/${segment(volumeId)}`,
        },
        signal,
      ),
    interfaces: (id, signal) =>
      api.list(
        interfaceSchema,
        { operation: `list interfaces of server ${id}`, path: `${one(id)}/os-interface`, key: 'interfaceAttachments' },
        signal,
      ),
  };
}

function escaped(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
