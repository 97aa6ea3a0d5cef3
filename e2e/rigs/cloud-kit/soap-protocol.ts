import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { XMLParser } from 'fast-xml-parser';
import type { ApiError, KitRequest, Reply } from './call.ts';
import type { Protocol } from './json-protocol.ts';

const parser = new XMLParser({ ignoreAttributes: false, removeNSPrefix: true, parseTagValue: false });

/** What is asked for and with what, of a SOAP request; undefined for what is none. */
function methodOf({
  raw,
}: KitRequest): { readonly name: string; readonly body: Readonly<Record<string, unknown>> } | undefined {
  const text = raw.toString('utf8');
  if (!text.includes('Envelope')) return undefined;
  const envelope = (parser.parse(text) as Record<string, Record<string, unknown>>)['Envelope'];
  const content = envelope?.['Body'];
  const entry =
    typeof content === 'object' && content !== null
      ? Object.entries(content).find(([key]) => !key.startsWith('@'))
      : undefined;
  if (entry === undefined) return undefined;
  const [name, body] = entry;
  return { name, body: typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {} };
}

/**
 * SOAP, as vSphere speaks it. An operation is a method's name; `call.body` has its elements (text as text, attributes with `@_`),
 * and a reply's body is the XML inside of the method's response element.
 */
export function soapProtocol(namespace: string): Protocol {
  return {
    route(request) {
      const name = methodOf(request)?.name;
      return name === undefined ? undefined : { operation: name, pathTemplate: request.url.pathname, params: {} };
    },
    decode: (request) => methodOf(request)?.body,
    encode(reply, route) {
      if (Buffer.isBuffer(reply.body) || route === undefined) return reply;
      const inner =
        reply.status >= 300
          ? String(reply.body ?? '')
          : `<${route.operation}Response xmlns="${namespace}">${String(reply.body ?? '')}</${route.operation}Response>`;
      return {
        status: reply.status,
        headers: { 'content-type': 'text/xml; charset="utf-8"', ...reply.headers },
        body: `<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>${inner}</soapenv:Body></soapenv:Envelope>`,
      };
    },
    error: ({ status, code, message, headers }: ApiError) => {
      const detail =
        code === undefined ? '' : `<detail><${code}Fault xmlns="${namespace}" xsi:type="${code}"/></detail>`;
      // Faults always come with 500; other statuses are those of what stands in front of the service.
      return {
        status: [429, 502, 503].includes(status) ? status : 500,
        headers,
        body: `<soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>${escapeXml(message)}</faultstring>${detail}</soapenv:Fault>`,
      };
    },
  };
}

export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

/** Sends a request on to another server and gives its answer back: for simulators that stand in front of another one. */
export function passOn(
  upstream: string,
  options: { readonly ca?: string } = {},
): (request: KitRequest) => Promise<Reply> {
  return ({ method, url, headers, raw }) =>
    new Promise((resolve, reject) => {
      const target = new URL(url.pathname + url.search, upstream);
      const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
      const { host: _, connection: __, 'transfer-encoding': ___, ...kept } = headers;
      const outgoing = send(
        target,
        {
          method,
          headers: { ...kept, 'content-length': String(raw.length) },
          ...(options.ca === undefined ? {} : { ca: options.ca }),
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () => {
            const {
              connection: ____,
              'transfer-encoding': _____,
              'content-length': ______,
              ...given
            } = response.headers;
            const answered = Object.entries(given).filter(
              (entry): entry is [string, string | string[]] => entry[1] !== undefined,
            );
            resolve({
              status: response.statusCode ?? 502,
              headers: Object.fromEntries(answered),
              body: Buffer.concat(chunks),
            });
          });
        },
      );
      outgoing.once('error', reject);
      outgoing.end(raw);
    });
}
