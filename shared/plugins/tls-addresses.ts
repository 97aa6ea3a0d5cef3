import type { z } from 'zod';
import type { JsonObject } from '../model/json.ts';

/** The servers that a connection leads to over TLS, as `host:port`, each once, in the order of the form. */
export function tlsAddresses(schema: z.ZodObject, connection: JsonObject): string[] {
  const addresses = new Set<string>();
  for (const value of Object.values(connection)) {
    const url =
      typeof value === 'string' && value.startsWith('https://') && URL.canParse(value) ? new URL(value) : undefined;
    if (url !== undefined) addresses.add(`${url.hostname}:${url.port || '443'}`);
  }
  const { host } = connection;
  if (typeof host === 'string' && host.trim() !== '') {
    const port = connection['port'] ?? (schema.shape['port'] as z.ZodType | undefined)?.meta()?.['builtIn'];
    const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host.trim();
    if (typeof port === 'number' || (typeof port === 'string' && /^\d+$/.test(port))) addresses.add(`${name}:${port}`);
  }
  return [...addresses];
}
