import type { TrustedHostKey } from '../../../shared/contract/mover-calls.ts';
import { UsageError } from '../command-context.ts';

const form = /^(?:\[([^\s[\]]+)\]|([^\s:=[\]]+))(?::(\d{1,5}))?=(SHA256:[A-Za-z0-9+/]{43})=?$/;

/**
 * Reads `HOST=SHA256:…` and `HOST:PORT=SHA256:…`; the port is 22 where none is given. An IPv6 address is in brackets.
 *
 * @throws UsageError
 */
export function readHostKeyOptions(given: readonly string[]): TrustedHostKey[] {
  return given.map((text) => {
    const [, address, name, port, fingerprint] = form.exec(text.trim()) ?? [];
    const host = address ?? name;
    const number = Number(port ?? 22);
    if (host === undefined || fingerprint === undefined || number < 1 || number > 65_535) {
      const why = /^SHA256:/.test(text) ? 'names no server' : 'cannot be read';
      throw new UsageError(
        `--host-key ${text} ${why}: give HOST=SHA256:… or HOST:PORT=SHA256:…, one for each server on the way`,
      );
    }
    return { host, port: number, fingerprint };
  });
}

/** A host key in the form that is read. */
export function hostKeyOption({ host, port, fingerprint }: TrustedHostKey): string {
  const address = host.includes(':') ? `[${host}]` : host;
  return `${port === 22 ? address : `${address}:${port}`}=${fingerprint}`;
}
