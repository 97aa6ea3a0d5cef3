import { resolveSrv } from 'node:dns/promises';
import { connect } from 'node:net';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { abortReason } from '../../concurrency/abortable.ts';

export interface KdcAddress {
  readonly host: string;
  readonly port: number;
}

const kerberosPort = 88;
const timeoutMs = 10_000;
/** Tickets of people in many groups are long, but not that long. */
const largestAnswerBytes = 2 ** 20;

/** Where a domain's controllers are: what was given, else what DNS says, else the domain's own name, which is that of its controllers in Windows. */
export async function findKdcs(
  realm: string,
  given: string | undefined,
  lookUp: (
    name: string,
  ) => Promise<readonly { readonly name: string; readonly port: number; readonly priority: number }[]> = resolveSrv,
): Promise<readonly KdcAddress[]> {
  if (given !== undefined) return [parseKdc(given)];
  const found = await lookUp(`_kerberos._tcp.${realm.toLowerCase()}`).catch(() => []);
  const known = [...found]
    .sort((one, other) => one.priority - other.priority)
    .map(({ name, port }) => ({ host: name, port }));
  return [...known, { host: realm.toLowerCase(), port: kerberosPort }];
}

/** `host`, `host:port`, `[address]:port`. */
export function parseKdc(text: string): KdcAddress {
  const [, address, name, port] =
    /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9][A-Za-z0-9._-]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  return { host: address ?? name ?? text, port: port === undefined ? kerberosPort : Number(port) };
}

/** Sends a request to the first controller that answers, over TCP. @throws `transport.kerberos-unavailable` */
export async function askKdc(addresses: readonly KdcAddress[], request: Buffer, signal: AbortSignal): Promise<Buffer> {
  const failed: string[] = [];
  for (const address of addresses) {
    try {
      return await exchange(address, request, signal);
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      failed.push(`${address.host}:${address.port}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new CausewayError('transport.kerberos-unavailable', `no domain controller answered: ${failed.join('; ')}`);
}

/** Each message has its length in four bytes before it (RFC 4120, 7.2.2). */
function exchange({ host, port }: KdcAddress, request: Buffer, signal: AbortSignal): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const socket = connect({ host, port });
  const onAbort = (): void => void socket.destroy(new Error('cancelled'));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  let received = Buffer.alloc(0);
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no answer')));
  socket.once('connect', () => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(request.length);
    socket.write(Buffer.concat([length, request]));
  });
  socket.on('data', (piece) => {
    received = Buffer.concat([received, piece]);
    if (received.length < 4) return;
    const length = received.readUInt32BE(0);
    if (length > largestAnswerBytes) socket.destroy(new Error(`an answer of ${length} bytes`));
    else if (received.length >= 4 + length) {
      resolve(received.subarray(4, 4 + length));
      socket.destroy();
    }
  });
  socket.once('error', reject);
  socket.once('close', () => {
    signal.removeEventListener('abort', onAbort);
    reject(new Error('it closed the connection'));
  });
  return promise;
}
