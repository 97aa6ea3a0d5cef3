import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CausewayError } from '../../shared/model/causeway-error.ts';

/** The file with the engine and Node for one system, as `npm run package -- --engine` makes it. */
export interface EngineArchive {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256, hexadecimal. */
  readonly digest: string;
}

/** Systems that movers run on, by what `uname -sm` prints there. */
const systems: Readonly<Record<string, string>> = { 'Linux x86_64': 'linux-x64', 'Linux aarch64': 'linux-arm64' };

/** @throws CausewayError `mover.platform` */
export function systemOf(uname: string): string {
  const system = systems[uname.trim()];
  if (system === undefined)
    throw new CausewayError('mover.platform', uname.trim().slice(0, 100) || 'the host does not say which system it is');
  return system;
}

export function archiveName(version: string, system: string): string {
  return `causeway-${version}-${system}.tar.gz`;
}

/**
 * Finds the archive for a system: the one that was named, or one beside the application, or one that was made in a checkout.
 *
 * @param application folder with the application's package.json
 * @throws CausewayError `mover.archive-missing`
 */
export async function findEngineArchive(
  system: string,
  version: string,
  application: string,
  named: string | undefined,
  signal: AbortSignal,
): Promise<EngineArchive> {
  const name = archiveName(version, system);
  const places =
    named === undefined
      ? [join(application, 'movers', name), join(application, '..', 'movers', name), join(application, 'dist', name)]
      : [named];
  const path = places.find((place) => existsSync(place));
  if (path === undefined) throw new CausewayError('mover.archive-missing', named ?? name);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, { signal });
  return { path, bytes: statSync(path).size, digest: hash.digest('hex') };
}
