import { X509Certificate } from 'node:crypto';
import { serverTrust } from '../../../http/server-certificates.ts';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { VimSession } from '../client/session.ts';
import { openVendorDisk } from '../vendor-library/vendor-disk.ts';
import type { DiskWay } from './disk-access.ts';

export interface VendorLibraryOptions {
  /** The vendor's distribution, or a folder of several releases of it. */
  readonly folder: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly caCertificate: string | undefined;
  readonly allowUntrusted: boolean;
  /** File of nbdkit's vddk plugin, where nbdkit does not find it by name. */
  readonly plugin?: string;
}

/** Disks through the vendor's own library, where the user has it. `disklib_compatibility_version` chooses what it is initialized for. */
export function vendorLibrary(
  session: VimSession,
  { folder, port, user, password, caCertificate, allowUntrusted, plugin }: VendorLibraryOptions,
): DiskWay {
  return {
    name: "the vendor's library",
    async open(disk, signal) {
      const address = `${session.host.includes(':') ? `[${session.host}]` : session.host}:${port}`;
      const {
        chain: [certificate],
        isVerified,
      } = await serverTrust(address, caCertificate, signal).catch((error: unknown) => {
        throw error instanceof CausewayError && error.code === 'cloud.unreachable'
          ? new CausewayError('source.unreachable', error.message, { cause: error })
          : error;
      });
      // The library pins what it is given: that must be a certificate that the endpoint trusts.
      if (certificate === undefined || (!isVerified && !allowUntrusted))
        throw new CausewayError('source.tls-refused', `${address}: the certificate is not trusted`);
      const version = disk.environment['disklib_compatibility_version'];
      return openVendorDisk(
        {
          libraryFolder: folder,
          ...(plugin === undefined ? {} : { plugin }),
          ...(typeof version === 'string' ? { compatibilityVersion: version } : {}),
          server: session.host,
          port,
          user,
          password,
          thumbprint: new X509Certificate(certificate.pem).fingerprint,
          vm: disk.vm.id,
          ...(disk.holder.type === 'VirtualMachineSnapshot' ? { snapshot: disk.holder.id } : {}),
          fileName: await disk.path(signal),
          sizeBytes: disk.sizeBytes,
        },
        signal,
      );
    },
    close: async () => undefined,
  };
}
