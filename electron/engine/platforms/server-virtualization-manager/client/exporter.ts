import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { RetryContext } from '../../../cloud-resources/retry-context.ts';
import { createHttpClient } from '../../../http/http-client.ts';
import { isStatus } from '../../../http/http-error.ts';
import { createJsonApi } from '../../../http/json-api.ts';
import { createTokenKeeper } from '../../../http/token-keeper.ts';
import { createTransport } from '../../../http/transport.ts';
import type { OvmConnection } from './connection.ts';

const chunkShape = z.looseObject({ start: z.number(), length: z.number(), physical_start: z.number() });
const snapshotDiskShape = z.looseObject({
  /** The file in the snapshot. */
  name: z.string(),
  /** The file of the VM's disk. */
  parent_path: z.string(),
  /** Where the file has data, and where on the repository that lies. In bytes. */
  chunks: z
    .array(chunkShape)
    .nullish()
    .transform((chunks) => chunks ?? []),
});
const idOf = z.union([z.string(), z.number()]).transform(String);
const snapshotShape = z.looseObject({
  id: idOf,
  disks: z
    .array(snapshotDiskShape)
    .nullish()
    .transform((disks) => disks ?? []),
});
const tokenShape = z.looseObject({ token: z.string() });

export type Chunk = z.infer<typeof chunkShape>;
export type ExporterDisk = z.infer<typeof snapshotDiskShape>;
export type ExporterSnapshot = z.infer<typeof snapshotShape>;

/** The optional service on a server that takes snapshots of VMs in OCFS2 repositories, and serves their bytes. */
export interface Exporter {
  /** Whether the service knows the VM. @throws when it cannot be reached */
  knows(vmId: string, signal: AbortSignal): Promise<boolean>;
  list(vmId: string, signal: AbortSignal): Promise<readonly ExporterSnapshot[]>;
  /** Of all disks of the VM in one go. */
  create(vmId: string, signal: AbortSignal): Promise<ExporterSnapshot>;
  get(vmId: string, id: string, signal: AbortSignal): Promise<ExporterSnapshot | undefined>;
  remove(vmId: string, id: string, signal: AbortSignal): Promise<void>;
  read(
    vmId: string,
    id: string,
    disk: string,
    offset: number,
    length: number,
    signal: AbortSignal,
  ): Promise<Uint8Array>;
  close(): void;
}

/** The service does not say how long a token is good for; one that has ended is replaced when it is refused. */
const tokenLifeMs = 30 * 60_000;
const probeMs = 10_000;
/**
 * How many times as long as other requests a snapshot may take: it is answered with the places of all data of all disks. One that is given up
 * and goes on at the server would be there twice, and nothing tells the two apart.
 */
const snapshotPatience = 10;

export function exporterAt(
  baseUrl: string,
  { username, password, trust }: OvmConnection,
  around: RetryContext,
): Exporter {
  const { clock, random, timing } = around;
  const transport = createTransport(trust);
  const usual = { baseUrl, transport, clock, random, backOff: timing.backOff, timeoutMs: timing.requestMs };
  // Most servers have no such service: that is to be known soon.
  const brief = {
    ...usual,
    backOff: { ...timing.backOff, attempts: Math.min(timing.backOff.attempts, 2) },
    timeoutMs: Math.min(timing.requestMs, probeMs),
  };
  const signIn = createJsonApi(createHttpClient(brief));
  const token = createTokenKeeper({
    clock,
    async fetch(signal) {
      // Signing in twice is no more than signing in once.
      const answer = await signIn.read(
        tokenShape,
        {
          operation: 'sign in to the exporter',
          method: 'POST',
          path: '/auth/login',
          json: { username, password },
          idempotent: true,
        },
        signal,
      );
      return { token: `Bearer ${answer.token}`, lifeMs: tokenLifeMs };
    },
  });
  const client = createHttpClient({ ...usual, authorize: token });
  const probe = createHttpClient({ ...brief, authorize: token });
  const api = createJsonApi(client);
  const pathOf = (vmId: string, id?: string): string =>
    `/vms/${encodeURIComponent(vmId)}/snapshots/${id === undefined ? '' : `${encodeURIComponent(id)}/`}`;
  return {
    async knows(vmId, signal) {
      try {
        await probe.request(
          { operation: `read VM ${vmId} at the exporter`, method: 'GET', path: `/vms/${encodeURIComponent(vmId)}/` },
          signal,
        );
        return true;
      } catch (error) {
        if (isStatus(error, 404)) return false;
        throw error;
      }
    },
    list: (vmId, signal) =>
      api.read(
        z.array(snapshotShape),
        { operation: `list snapshots of VM ${vmId}`, method: 'GET', path: pathOf(vmId) },
        signal,
      ),
    create: (vmId, signal) =>
      api.read(
        snapshotShape,
        {
          operation: `snapshot VM ${vmId}`,
          method: 'POST',
          path: pathOf(vmId),
          timeoutMs: snapshotPatience * timing.requestMs,
        },
        signal,
      ),
    // Neighbours that are merged in the file may lie apart on the repository: their places could not be compared.
    get: (vmId, id, signal) =>
      api.find(
        snapshotShape,
        {
          operation: `read snapshot ${id}`,
          method: 'GET',
          path: pathOf(vmId, id),
          query: { squashChunks: 'false' },
          timeoutMs: snapshotPatience * timing.requestMs,
        },
        signal,
      ),
    remove: (vmId, id, signal) => api.remove({ operation: `delete snapshot ${id}`, path: pathOf(vmId, id) }, signal),
    async read(vmId, id, disk, offset, length, signal) {
      const operation = `read ${length} bytes at ${offset} of snapshot ${id}`;
      const answer = await client.request(
        {
          operation,
          method: 'GET',
          path: `${pathOf(vmId, id)}disks/${encodeURIComponent(disk)}`,
          headers: { range: `bytes=${offset}-${offset + length - 1}` },
          bytes: true,
        },
        signal,
      );
      const { body } = answer;
      if (answer.status === 206 && body instanceof Uint8Array && body.length === length) return body;
      throw new CausewayError(
        'cloud.unexpected-answer',
        `${operation}: HTTP ${answer.status} with ${body instanceof Uint8Array ? body.length : 0} bytes`,
        { details: { operation, status: answer.status } },
      );
    },
    close: () => transport.close(),
  };
}
