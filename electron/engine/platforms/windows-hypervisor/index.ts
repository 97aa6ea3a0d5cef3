import { join } from 'node:path';
import type { z } from 'zod';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { connection as connectionSchema } from '../../../../shared/plugins/windows-hypervisor/connection.ts';
import { defaultBackOff } from '../../http/retry-after.ts';
import type { PlatformContext } from '../../ports/platform-context.ts';
import type { SourcePlatform } from '../../ports/source-platform.ts';
import type { BackOff } from '../../time/back-off.ts';
import { systemClock, type Clock } from '../../time/clock.ts';
import { sshRoute } from '../../transport/ssh-route.ts';
import { HostLink } from './control/host-link.ts';
import { Hosts } from './control/hosts.ts';
import { SshPowershell, WinrmPowershell, type RemotePowershell } from './control/remote-powershell.ts';
import type { DiskAccess } from './disk-access/disk-access.ts';
import { HostReader } from './disk-access/host-reader.ts';
import { RctService } from './disk-access/rct-service.ts';
import type { CheckedConnection } from './source/check.ts';
import { HypervSource } from './source/hyperv-source.ts';

export type HypervConnection = z.infer<typeof connectionSchema>;

/** What tests and other hosts of the engine bring of their own. */
export interface HypervOptions {
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly backOff?: BackOff;
  readonly timeoutMs?: number;
  /** How long another node of a cluster may take until it answers at all. Default: 45 seconds. */
  readonly nodePatienceMs?: number;
  /** How long the reader may take to start. Default: as long as `timeoutMs`, or three minutes. */
  readonly readerStartMs?: number;
}

/** The source for the VMs of an endpoint. Opens nothing yet. */
export function createHypervSource(
  connection: HypervConnection,
  { scratchFolder, use, ledger }: PlatformContext,
  options: HypervOptions = {},
): SourcePlatform {
  const {
    host,
    port = 5986,
    username,
    password,
    authentication = 'auto',
    kerberos_kdc: kerberosKdc,
    certificate_sha256: certificateSha256,
    ca_certificate: caCertificate,
    allow_untrusted: allowUntrusted = false,
  } = connection;
  const {
    management = 'winrm',
    ssh_port: sshPort = 22,
    ssh_host_keys: hostKeys = [],
    disk_access: diskAccess = 'auto',
    reader_port: readerPort = 5567,
    rct_port: rctPort = 6677,
    rct_password: rctKey,
  } = connection;
  if (typeof password !== 'string')
    throw new CausewayError('general.bug', 'the password of the endpoint was not resolved');
  const context = {
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    backOff: options.backOff ?? defaultBackOff,
    timeoutMs: options.timeoutMs,
  };
  const note = (message: string): void => use?.note?.(message);
  const powershell = (node: string) => (): RemotePowershell =>
    management === 'ssh'
      ? new SshPowershell(
          { host: node, port: sshPort, username, password, ...sshRoute(connection, { password }) },
          hostKeys,
        )
      : new WinrmPowershell({
          host: node,
          port,
          username,
          password,
          authentication,
          kerberosKdc,
          certificateSha256,
          caCertificate,
          allowUntrusted,
        });
  const linkTo = (node: string): HostLink => new HostLink(node, powershell(node), context);
  const hosts = new Hosts(linkTo(host), linkTo, options.nodePatienceMs);
  const access = accessOf();
  const checked: CheckedConnection = {
    allowUntrusted: allowUntrusted && management === 'winrm',
    isPinned: certificateSha256 !== undefined,
    isKerberos: authentication === 'kerberos',
    management,
    port: management === 'ssh' ? sshPort : port,
    reader: access instanceof RctService ? 'none' : management === 'ssh' ? 'stream' : 'port',
    readerPort,
    rctPort,
  };
  return new HypervSource(
    {
      hosts,
      access,
      digestFolder: join(scratchFolder, 'windows-hypervisor-digests'),
      clock: context.clock,
      use,
      ledger,
      owner: ledger?.owner?.mark,
      note,
    },
    checked,
    scratchFolder,
  );

  function accessOf(): DiskAccess {
    if (diskAccess === 'reader' || (diskAccess === 'auto' && rctKey === undefined))
      return new HostReader({
        port: readerPort,
        managementPort: port,
        ledger,
        linkOf: (node) => hosts.linkOf(node),
        note,
        startWithinMs: options.readerStartMs ?? options.timeoutMs,
      });
    if (typeof rctKey !== 'string')
      throw new CausewayError('general.bug', 'the password of the RCT service was not resolved');
    return new RctService({ ...context, port: rctPort, key: rctKey, caCertificate });
  }
}
