import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { NfcTicket } from '../disk-access/disk-content.ts';
import { refer, objectOf, type ManagedObject } from './request.ts';
import type { VimSession } from './session.ts';
import { childOf, integerAt, textAt } from './xml.ts';

/**
 * Asks for a ticket to read the disks of a VM on the data port of the host where the VM is now. It is good for one connection, so that
 * each connection asks for its own.
 */
export async function requestNfcTicket(
  session: VimSession,
  vm: ManagedObject,
  signal: AbortSignal,
): Promise<NfcTicket> {
  const service = await nfcService(session, signal);
  const answer = await session.callFor('NfcGetVmFiles', service, [refer('vm', vm)], signal);
  const given = (name: string): string | undefined => {
    const text = textAt(answer, name);
    return text === '' ? undefined : text;
  };
  const [sessionId, sslThumbprint] = [given('sessionId'), given('sslThumbprint')];
  if (sessionId === undefined || sslThumbprint === undefined) {
    throw new CausewayError('source.protocol', 'NfcGetVmFiles: the ticket has no session or no thumbprint', {
      details: { operation: 'NfcGetVmFiles', vmId: vm.id },
    });
  }
  return {
    // A single host does not name itself.
    host: given('host') ?? session.host,
    port: integerAt(answer, 'port') ?? 902,
    sslThumbprint,
    sessionId,
    service: given('service') ?? 'nfc',
    serviceVersion: given('serviceVersion') ?? '1.1',
  };
}

const services = new WeakMap<VimSession, ManagedObject>();

/** It has another id on a management server than on a host, and the public lists of services leave it out. */
async function nfcService(session: VimSession, signal: AbortSignal): Promise<ManagedObject> {
  const known = services.get(session);
  if (known !== undefined) return known;
  const content = await session.callFor(
    'RetrieveInternalContent',
    { type: 'ServiceInstance', id: 'ServiceInstance' },
    [],
    signal,
  );
  const service = objectOf(childOf(content, 'nfcService'));
  if (service === undefined)
    throw new CausewayError('source.unsupported', 'the server has no service for disk data (nfcService)', {
      details: { missing: 'nfcService' },
    });
  services.set(session, service);
  return service;
}
