import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { requestNfcTicket } from '../client/nfc-ticket.ts';
import type { VimSession } from '../client/session.ts';
import { openNfcDisk, type NfcDiskOptions } from '../nfc/nfc-disk.ts';
import { Compression } from '../nfc/protocol.ts';
import type { DiskWay } from './disk-access.ts';
import type { NfcTicket } from './disk-content.ts';

/** Disks through the data port (NFC) of the host where the VM is. Needs nothing but the network way to it. */
export function dataPort(
  session: VimSession,
  note: (message: string) => void,
  more: Partial<NfcDiskOptions> = {},
): DiskWay {
  /** Ports that nothing could connect to, each with its error. Where packets are dropped, to find that out takes long: not for each disk. */
  const closed = new Map<string, CausewayError>();
  const unencrypted = new Set<string>();
  const packed = new Set<string>();
  return {
    name: 'the data port of the host (NFC)',
    async open(disk, signal) {
      let asked: NfcTicket | undefined;
      let isOpen = false;
      const told = new Set<string>();
      try {
        const content = await openNfcDisk(
          {
            ...more,
            async ticket(within) {
              asked = await requestNfcTicket(session, disk.vm, within);
              const known = closed.get(portOf(asked));
              // A disk that is open has reached its host before: the port may be there again.
              if (known !== undefined && !isOpen)
                throw new CausewayError(known.code, known.message, {
                  details: known.details,
                  retryable: false,
                  cause: known,
                });
              return asked;
            },
            path: (within) => disk.path(within),
            onEvent: (event) => {
              if (event.kind === 'opened' && !event.isEncrypted && !unencrypted.has(event.host)) {
                unencrypted.add(event.host);
                note(
                  `Disks are read from host ${event.host} WITHOUT ENCRYPTION, as it offers none and disk_access_encryption of the endpoint is preferred: everyone on the network path can read and change their data.`,
                );
              }
              if (event.kind === 'packing' && !packed.has(`${event.host} ${event.compression}`)) {
                packed.add(`${event.host} ${event.compression}`);
                note(
                  `The link to host ${event.host} brings ${(event.linkBytesPerSecond / 2 ** 20).toFixed(1)} MiB/s: disks are compressed there (${event.compression === Compression.zlib ? 'zlib' : 'FastLZ'}), which is faster.`,
                );
              }
              if (event.kind === 'waiting')
                note(`${disk.label} of VM ${disk.vm.id} waits until host ${event.host} has room for another disk.`);
              if (event.kind === 'retrying' && !told.has(event.reason.message)) {
                told.add(event.reason.message);
                note(
                  `${disk.label} of VM ${disk.vm.id} cannot be read from its host right now (${event.reason.message}). Trying again.`,
                );
              }
              if (event.kind === 'lost')
                note(
                  `The connection to host ${event.host} was lost while ${disk.label} of VM ${disk.vm.id} was read (${event.reason.message}). Reading resumes where it stopped.`,
                );
            },
          },
          signal,
        );
        isOpen = true;
        return content;
      } catch (error) {
        if (
          asked !== undefined &&
          error instanceof CausewayError &&
          error.code === 'source.host-unreachable' &&
          !closed.has(portOf(asked))
        )
          closed.set(portOf(asked), error);
        throw error;
      }
    },
    startOver: () => closed.clear(),
    close: async () => undefined,
  };
}

const portOf = ({ host, port }: NfcTicket): string => `${host.toLowerCase()} ${port}`;
