import type { z } from 'zod';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { connection as connectionSchema } from '../../../../shared/plugins/windows-hypervisor/connection.ts';
import { defaultBackOff } from '../../http/retry-after.ts';
import type { PlatformContext } from '../../ports/platform-context.ts';
import type { SourcePlatform } from '../../ports/source-platform.ts';
import type { BackOff } from '../../time/back-off.ts';
import { systemClock, type Clock } from '../../time/clock.ts';
import { HostLink } from './control/host-link.ts';
import { Hosts } from './control/hosts.ts';
import { WinrmPowershell, type RemotePowershell } from './control/remote-powershell.ts';
import { RctService } from './disk-access/rct-service.ts';
import { HypervSource } from './source/hyperv-source.ts';

export type HypervConnection = z.infer<typeof connectionSchema>;

/** What tests and other hosts of the engine bring of their own. */
export interface HypervOptions {
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly backOff?: BackOff;
  readonly timeoutMs?: number;
}

/** The source for the VMs of an endpoint. Opens nothing yet. */
export function createHypervSource(connection: HypervConnection, { scratchFolder, use, ledger }: PlatformContext, options: HypervOptions = {}): SourcePlatform {
  const { host, port = 5986, username, password, authentication = 'auto', certificate_sha256: certificateSha256, ca_certificate: caCertificate, allow_untrusted: allowUntrusted = false } = connection;
  const { rct_port: rctPort = 6677, rct_password: rctKey } = connection;
  if (typeof password !== 'string') throw new CausewayError('general.bug', 'the password of the endpoint was not resolved');
  if (typeof rctKey !== 'string') throw new CausewayError('general.invalid-input', 'rct_password is needed to read disks by the RCT service', { details: { parameter: 'rct_password' } });
  const context = { clock: options.clock ?? systemClock, random: options.random ?? Math.random, backOff: options.backOff ?? defaultBackOff, timeoutMs: options.timeoutMs };
  const note = (message: string): void => use?.note?.(message);
  const powershell = (node: string) => (): RemotePowershell => new WinrmPowershell({ host: node, port, username, password, authentication, certificateSha256, caCertificate, allowUntrusted });
  const linkTo = (node: string): HostLink => new HostLink(node, powershell(node), context);
  const hosts = new Hosts(linkTo(host), linkTo);
  const access = new RctService({ ...context, port: rctPort, key: rctKey, caCertificate });
  return new HypervSource({ hosts, access, clock: context.clock, use, ledger, owner: ledger?.owner?.mark, note }, { allowUntrusted, isPinned: certificateSha256 !== undefined }, scratchFolder);
}
