import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Trust } from '../../../http/transport.ts';

/** Loose on purpose, so that a connection made by an older or newer form still works; the form's own shape stands with the plugin. */
const connectionSchema = z.looseObject({
  host: z.string().min(1),
  port: z.int().min(1).max(65_535).default(7002),
  username: z.string().min(1),
  password: z.string().min(1),
  ca_certificate: z.string().optional(),
  allow_untrusted: z.boolean().default(false),
});

export interface OvmConnection {
  readonly baseUrl: string;
  readonly username: string;
  readonly password: string;
  readonly trust: Trust;
}

/** @throws `general.invalid-input` naming the keys that are missing or wrong; never their values */
export function parseConnection(connection: unknown): OvmConnection {
  const parsed = connectionSchema.safeParse(connection);
  if (!parsed.success) {
    const keys = [...new Set(parsed.error.issues.map(({ path }) => path.join('.')))];
    throw new CausewayError('general.invalid-input', `the connection lacks, or has wrong: ${keys.join(', ')}`, {
      details: { keys },
    });
  }
  const {
    host,
    port,
    username,
    password,
    ca_certificate: caCertificate,
    allow_untrusted: allowUntrusted,
  } = parsed.data;
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return {
    baseUrl: `https://${name}:${port}/ovm/core/wsapi/rest`,
    username,
    password,
    trust: { caCertificate: caCertificate === '' ? undefined : caCertificate, allowUntrusted },
  };
}
