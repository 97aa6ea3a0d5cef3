import { readFile, stat } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { fileURLToPath } from 'node:url';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { trustSystemCertificates } from './system-certificates.ts';

const largestBytes = 1024 * 1024;
const patienceMs = 10_000;
const mostRedirects = 3;

/**
 * The text of a proxy script, loaded directly: no proxy leads to what names the proxies.
 *
 * @param address http, https or file
 * @throws CausewayError cloud.proxy-script-failed
 */
export async function loadScript(address: string, signal: AbortSignal): Promise<string> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  try {
    const bytes = await load(new URL(address), ends, mostRedirects);
    return new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(bytes);
  } catch (cause) {
    signal.throwIfAborted();
    const why = ends.aborted
      ? `no response within ${patienceMs} ms`
      : cause instanceof Error
        ? 'code' in cause && typeof cause.code === 'string'
          ? cause.code
          : cause.message
        : String(cause);
    throw new CausewayError('cloud.proxy-script-failed', `${shown(address)} could not be loaded: ${why}`, { cause });
  }
}

async function load(url: URL, signal: AbortSignal, redirects: number): Promise<Buffer> {
  if (url.protocol === 'file:') {
    const path = fileURLToPath(url);
    if ((await stat(path)).size > largestBytes) throw new Error(`it has more than ${largestBytes} bytes`);
    return readFile(path, { signal });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error('its address must begin with http:, https: or file:');
  trustSystemCertificates();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    send(url, { agent: false, signal, headers: { accept: 'application/x-ns-proxy-autoconfig, */*' } })
      .once('response', resolve)
      .once('error', reject)
      .end();
  });
  try {
    const {
      statusCode = 0,
      headers: { location },
    } = answer;
    if (statusCode >= 300 && statusCode < 400 && location !== undefined && redirects > 0) {
      const next = new URL(location, url);
      if (next.protocol === 'file:') throw new Error('it leads to a file');
      return await load(next, signal, redirects - 1);
    }
    if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`);
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of answer as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > largestBytes) throw new Error(`it has more than ${largestBytes} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } finally {
    answer.destroy();
  }
}

function shown(address: string): string {
  return address.replace(/\/\/[^/@]*@/, '//').slice(0, 300);
}
