import { createHash } from 'node:crypto';
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { AfterBootCheck } from '../../../../shared/model/after-boot-check.ts';
import { cleanAnswer } from './clean-answer.ts';

type HttpCheck = Extract<AfterBootCheck, { kind: 'http' }>;

/** An answer is read up to here; a site that sends more than that before the text comes does not contain it. */
const mostBytes = 256 * 1024;

/**
 * Asks the VM itself, never by way of a proxy, and follows no redirect: nothing but its own addresses is asked. Nothing secret is sent, so
 * that any certificate will do unless the check names the site.
 * @param clean removes secrets from a text: before it is cut, as a part of one would stay otherwise
 * @throws Error that says what is not as expected
 */
export async function checkHttp(
  check: HttpCheck,
  host: string,
  clean: (text: string) => string,
  signal: AbortSignal,
): Promise<string> {
  const { scheme = 'http', path = '/' } = check;
  const port = check.port ?? (scheme === 'https' ? 443 : 80);
  const options: RequestOptions = {
    host,
    port,
    path,
    method: 'GET',
    signal,
    agent: false,
    headers: {
      host: check.host ?? (host.includes(':') ? `[${host}]` : host),
      'user-agent': 'causeway',
      accept: '*/*',
      connection: 'close',
    },
  };
  const { status, body, certificate } = await new Promise<Answer>((resolve, reject) => {
    const respond = (response: IncomingMessage): void => void read(response).then(resolve, reject);
    const sent =
      scheme === 'https'
        ? requestHttps(
            { ...options, ...(check.host === undefined ? { rejectUnauthorized: false } : { servername: check.host }) },
            respond,
          )
        : requestHttp(options, respond);
    sent.once('error', reject);
    sent.end();
  });
  const where = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
  const isStatus = check.status === undefined ? status >= 200 && status < 400 : status === check.status;
  if (!isStatus)
    throw new Error(
      `${where} answered with status ${status} instead of ${check.status ?? '200 to 399'}${body === '' ? '' : `: ${cleanAnswer(clean(body))}`}`,
    );
  if (check.text !== undefined && !body.includes(check.text))
    throw new Error(
      `${where} answered with status ${status}, but without "${cleanAnswer(check.text)}": ${cleanAnswer(clean(body))}`,
    );
  return `${where} answered with status ${status}${check.text === undefined ? '' : ` and contains "${cleanAnswer(check.text)}"`}${certificate}`;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly certificate: string;
}

async function read(response: IncomingMessage): Promise<Answer> {
  const certificate = certificateText(response.socket as Partial<TLSSocket>);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > mostBytes) break;
  }
  response.destroy();
  return {
    status: response.statusCode ?? 0,
    body: Buffer.concat(pieces).subarray(0, mostBytes).toString('utf8'),
    certificate,
  };
}

/** What a TLS server showed, for the record. */
function certificateText(socket: Partial<TLSSocket>): string {
  const raw = socket.getPeerCertificate?.().raw;
  return raw === undefined
    ? ''
    : `; certificate SHA-256 ${createHash('sha256').update(raw).digest('hex')}${socket.authorized === true ? ', verified' : ', not verified'}`;
}
