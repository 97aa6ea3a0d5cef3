import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { HttpRequest } from '../../../http/http-request.ts';
import { labelsSchema, listOf, selectorQuery, type Api } from './api.ts';
import type { Labels } from '../../../cloud-resources/labels.ts';

const serverSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  /** Open set: ACTIVE, CREATING, ERROR, INACTIVE… */
  status: z.string().optional(),
  powerStatus: z.string().optional(),
  errorMessage: z.string().optional(),
  availabilityZone: z.string().optional(),
  machineType: z.string().optional(),
  labels: labelsSchema,
  bootVolume: z.looseObject({ id: z.string().optional() }).optional(),
  nics: z
    .array(
      z.looseObject({
        nicId: z.string().optional(),
        ipv4: z.string().optional(),
        publicIp: z.string().optional(),
        mac: z.string().optional(),
      }),
    )
    .nullish(),
});

export type CloudServer = z.infer<typeof serverSchema>;

export interface NewServer {
  readonly name: string;
  readonly machineType: string;
  readonly availabilityZone: string;
  readonly networking: { readonly nicIds: readonly string[] };
  readonly bootVolume: {
    readonly source: { readonly type: 'image' | 'volume'; readonly id: string };
    /** GiB; only with an image. */
    readonly size?: number;
    readonly performanceClass?: string;
    readonly deleteOnTermination: boolean;
  };
  readonly volumes?: readonly string[];
  readonly userData?: string;
  readonly configDrive?: boolean;
  readonly keypairName?: string;
  readonly affinityGroup?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly labels: Labels;
}

/** The id under which an accepted operation can be followed, from the answer's header. */
export interface Accepted {
  readonly requestId: string | undefined;
}

export interface Servers {
  list(labels: Labels, signal: AbortSignal): Promise<readonly CloudServer[]>;
  get(id: string, signal: AbortSignal): Promise<CloudServer | undefined>;
  create(server: NewServer, signal: AbortSignal): Promise<CloudServer>;
  delete(id: string, signal: AbortSignal): Promise<void>;
  power(id: string, action: 'start' | 'stop' | 'deallocate' | 'reboot', signal: AbortSignal): Promise<void>;
  /** The console's text so far. */
  log(id: string, lines: number, signal: AbortSignal): Promise<string>;
  attachedVolumes(id: string, signal: AbortSignal): Promise<readonly string[]>;
  attach(id: string, volumeId: string, signal: AbortSignal): Promise<Accepted>;
  /** Undefined when the volume was not attached. */
  detach(id: string, volumeId: string, signal: AbortSignal): Promise<Accepted | undefined>;
}

export function serversOf(api: Api): Servers {
  const path = `${api.prefix}/servers`;
  const one = (id: string): string => `${path}/${encodeURIComponent(id)}`;
  const attachment = (id: string, volumeId: string): string =>
    `${one(id)}/volume-attachments/${encodeURIComponent(volumeId)}`;
  async function accepted(request: HttpRequest, signal: AbortSignal): Promise<Accepted> {
    const answer = await api.send(request, signal);
    return { requestId: answer.headers.get('x-request-id') ?? undefined };
  }
  return {
    async list(labels, signal) {
      const query = { details: 'true', ...selectorQuery(labels) };
      return (await api.read(listOf(serverSchema), { operation: 'list servers', method: 'GET', path, query }, signal))
        .items;
    },
    get: (id, signal) =>
      api.find(
        serverSchema,
        { operation: `read server ${id}`, method: 'GET', path: one(id), query: { details: 'true' } },
        signal,
      ),
    create: (server, signal) =>
      api.read(serverSchema, { operation: `create server ${server.name}`, method: 'POST', path, json: server }, signal),
    delete: (id, signal) => api.remove({ operation: `delete server ${id}`, path: one(id) }, signal),
    async power(id, action, signal) {
      await api.send(
        {
          operation: `${action} server ${id}`,
          method: 'POST',
          path: `${one(id)}/${action}`,
          idempotent: action !== 'reboot',
        },
        signal,
      );
    },
    async log(id, lines, signal) {
      const request: HttpRequest = {
        operation: `console log of server ${id}`,
        method: 'GET',
        path: `${one(id)}/log`,
        query: { length: String(lines) },
      };
      return (await api.read(z.looseObject({ output: z.string().optional() }), request, signal)).output ?? '';
    },
    async attachedVolumes(id, signal) {
      const item = z.looseObject({ volumeId: z.string() });
      const request: HttpRequest = {
        operation: `attachments of server ${id}`,
        method: 'GET',
        path: `${one(id)}/volume-attachments`,
      };
      return (await api.find(listOf(item), request, signal))?.items.map((each) => each.volumeId) ?? [];
    },
    attach: (id, volumeId, signal) =>
      accepted(
        {
          operation: `attach volume ${volumeId} to server ${id}`,
          method: 'PUT',
          path: attachment(id, volumeId),
          json: { deleteOnTermination: false },
        },
        signal,
      ),
    async detach(id, volumeId, signal) {
      try {
        return await accepted(
          {
            operation: `detach volume ${volumeId} from server ${id}`,
            method: 'DELETE',
            path: attachment(id, volumeId),
          },
          signal,
        );
      } catch (error) {
        if (error instanceof CausewayError && error.code === 'cloud.not-found') return undefined;
        throw error;
      }
    },
  };
}
