import { requestNfcTicket } from '../client/nfc-ticket.ts';
import type { VimSession } from '../client/session.ts';
import { openNfcDisk } from '../nfc/nfc-disk.ts';
import type { DiskWay } from './disk-access.ts';

/** Disks through the data port (NFC) of the host where the VM is. Needs nothing but the network way to it. */
export function dataPort(session: VimSession, note: (message: string) => void): DiskWay {
  return {
    name: 'the data port of the host (NFC)',
    open: (disk, signal) => openNfcDisk({
      ticket: (within) => requestNfcTicket(session, disk.vm, within),
      path: (within) => disk.path(within),
      onEvent: (event) => {
        if (event.kind === 'waiting') note(`${disk.label} of VM ${disk.vm.id} waits until host ${event.host} has room for another disk.`);
        if (event.kind === 'lost') note(`The connection to host ${event.host} was lost while ${disk.label} of VM ${disk.vm.id} was read (${event.reason.message}). Reading resumes where it stopped.`);
      },
    }, signal),
    close: async () => undefined,
  };
}
