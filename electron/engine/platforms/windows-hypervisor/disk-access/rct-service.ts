import { copyBytes } from '../../../concurrency/copy-bytes.ts';
import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { createHttpClient, type HttpClient } from '../../../http/http-client.ts';
import { createTransport, type Transport } from '../../../http/transport.ts';
import { refuseOutside } from '../../../ports/disk-reader.ts';
import { abortReason } from '../../../concurrency/abortable.ts';
import type { HostLink, LinkContext } from '../control/host-link.ts';
import type { DiskAccess, DiskContent, FrozenDisk } from './disk-access.ts';

export interface RctServiceOptions extends LinkContext {
  readonly port: number;
  /** The key that the service was installed with. */
  readonly key: string;
  /** PEM of the authority that has issued the service's certificate; default: those of the system. */
  readonly caCertificate: string | undefined;
}

const infoSchema = z.object({ virtual_size: z.int().positive() });
const sector = 512;
/** Of one answer: the service reads all of it before it sends the first byte. */
const pieceBytes = 4 * 2 ** 20;

/**
 * The RCT service, which an administrator has installed on the host. What changed is asked of Windows itself: the service knows no checkpoints, and fails
 * as a whole on errors that Windows explains.
 */
export class RctService implements DiskAccess {
  readonly #options: RctServiceOptions;
  readonly #verifying: Transport;
  readonly #trusting: Transport;
  readonly #clients = new Map<string, HttpClient>();

  constructor(options: RctServiceOptions) {
    this.#options = options;
    this.#verifying = createTransport({ caCertificate: options.caCertificate });
    this.#trusting = createTransport({ allowUntrusted: true });
  }

  async open({ link, path, sizeBytes, verifyServer }: FrozenDisk, signal: AbortSignal): Promise<DiskContent> {
    const client = this.#client(link.host, verifyServer);
    const base = `/vdisk/${encodeURIComponent(path)}`;
    const lost =
      (within: AbortSignal) =>
      (error: unknown): never => {
        if (within.aborted) throw abortReason(within);
        if (
          error instanceof CausewayError &&
          (error.code === 'cloud.not-found' || error.code === 'cloud.permission-denied')
        ) {
          throw new CausewayError(
            'source.snapshot-lost',
            `${link.host}: the RCT service cannot open ${path}: ${error.message}`,
            { cause: error, details: { path } },
          );
        }
        if (error instanceof CausewayError && error.code === 'cloud.authentication-failed') {
          throw new CausewayError(
            'source.login-refused',
            `${link.host}: the RCT service refused the key (rct_password)`,
            { cause: error },
          );
        }
        throw error;
      };
    const { body } = await client
      .request({ operation: "RCT service: read a disk's size", method: 'GET', path: `${base}/info` }, signal)
      .catch(lost(signal));
    const info = infoSchema.safeParse(body);
    if (!info.success || info.data.virtual_size !== sizeBytes) {
      throw new CausewayError(
        'source.snapshot-lost',
        `${path} has ${info.success ? `${info.data.virtual_size} bytes` : 'no size'} at the RCT service, not ${sizeBytes}`,
        { details: { path } },
      );
    }
    const piece = async (offset: number, length: number, within: AbortSignal): Promise<Buffer> => {
      const answer = await client
        .request(
          {
            operation: 'RCT service: read a disk',
            method: 'GET',
            path: `${base}/content`,
            query: { ranges: `${offset}:${length}` },
            bytes: true,
          },
          within,
        )
        .catch(lost(within));
      const bytes = answer.body;
      if (!Buffer.isBuffer(bytes) || bytes.length !== length)
        throw new CausewayError(
          'source.read-failed',
          `${path}: the RCT service sent ${Buffer.isBuffer(bytes) ? bytes.length : 0} bytes instead of ${length}`,
          { details: { path, offset } },
        );
      return bytes;
    };
    return {
      sizeBytes,
      async read(offset, into, within) {
        refuseOutside({ sizeBytes }, offset, into.length);
        const end = offset + into.length;
        for (let from = Math.floor(offset / sector) * sector; from < end;) {
          const to = Math.min(from + pieceBytes, Math.ceil(end / sector) * sector);
          const bytes = await piece(from, to - from, within);
          const [first, last] = [Math.max(from, offset), Math.min(to, end)];
          copyBytes(bytes.subarray(first - from, last - from), into, first - offset);
          from = to;
        }
      },
      close: async () => undefined,
    };
  }

  /** A disk that nobody has: the key is checked before the disk is looked for. */
  async check(link: HostLink, signal: AbortSignal): Promise<string | { readonly warning: string }> {
    try {
      await this.#client(link.host, true).request(
        {
          operation: 'RCT service: try the key',
          method: 'GET',
          path: `/vdisk/${encodeURIComponent('C:\\causeway-check.vhdx')}/info`,
        },
        signal,
      );
    } catch (error) {
      if (error instanceof CausewayError && error.code === 'cloud.certificate-not-trusted') {
        return {
          warning: `the certificate of the RCT service is not trusted (${error.message}): give its authority as ca_certificate, or set verify_rct_server to no in the source environment`,
        };
      }
      if (!(error instanceof CausewayError) || error.code !== 'cloud.not-found') throw error;
    }
    return `the RCT service on ${link.host}:${this.#options.port} takes the key`;
  }

  async close(): Promise<void> {
    this.#verifying.close();
    this.#trusting.close();
  }

  #client(host: string, verifies: boolean): HttpClient {
    const { port, key, clock, random, backOff, timeoutMs } = this.#options;
    const id = `${host} ${verifies}`;
    const client =
      this.#clients.get(id) ??
      createHttpClient({
        baseUrl: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
        authorize: async () => key,
        authorizationHeader: 'auth_key',
        transport: verifies ? this.#verifying : this.#trusting,
        clock,
        random,
        backOff,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
    this.#clients.set(id, client);
    return client;
  }
}
