import type { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { connection as connectionSchema } from '../../../../../shared/plugins/virtualization-platform/connection.ts';
import type { PlatformContext } from '../../../ports/platform-context.ts';
import type { SourcePlatform } from '../../../ports/source-platform.ts';
import { defaultBackOff } from '../../../http/retry-after.ts';
import type { BackOff } from '../../../time/back-off.ts';
import { systemClock, type Clock } from '../../../time/clock.ts';
import { VimSession } from '../client/session.ts';
import { dataPort } from '../disk-access/data-port.ts';
import { inFirstWay, type DiskAccess } from '../disk-access/disk-access.ts';
import { VsphereSource } from './vsphere-source.ts';

export type VsphereConnection = z.infer<typeof connectionSchema>;

/** What tests and other hosts of the engine bring of their own. */
export interface VsphereOptions {
  readonly access?: (session: VimSession) => DiskAccess;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly backOff?: BackOff;
  readonly timeoutMs?: number;
}

/** Where hosts serve the bytes of disks. */
const nfcPort = 902;

/** The source for the VMs of an endpoint. Opens nothing yet. */
export function createVsphereSource(connection: VsphereConnection, { scratchFolder, use }: PlatformContext, options: VsphereOptions = {}): SourcePlatform {
  const { host, port, username, password, ca_certificate: caCertificate, allow_untrusted: allowUntrusted = false } = connection;
  if (typeof password !== 'string') throw new CausewayError('general.bug', 'the password of the endpoint was not resolved');
  const [clock, random, backOff] = [options.clock ?? systemClock, options.random ?? Math.random, options.backOff ?? defaultBackOff];
  const session = new VimSession({
    host, port: port ?? 443, username, password, caCertificate, allowUntrusted, clock, random, backOff,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  });
  const note = (message: string): void => use?.note?.(message);
  const access = options.access?.(session) ?? inFirstWay([dataPort(session, note)], note);
  return new VsphereSource({ session, access, clock, random, backOff, use, note }, { allowUntrusted, nfcPort }, scratchFolder);
}
