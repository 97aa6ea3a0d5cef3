import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { data, refer, value, type ManagedObject } from '../client/request.ts';
import { textAt, typeOf, type XmlElement } from '../client/xml.ts';
import type { SourceContext } from './source-context.ts';
import type { VmState } from './inventory.ts';

/** Events of the VM after which tracked changes may have gaps, with what happened, in words. */
const vmEvents: Readonly<Record<string, string>> = {
  VmRelocatedEvent: 'its disks were moved to other storage',
  VmRestartedOnAlternateHostEvent: 'its host failed and it was restarted on another one',
  VmDasBeingResetEvent: 'it was reset by high availability',
  VmDasBeingResetWithScreenshotEvent: 'it was reset by high availability',
  'com.vmware.vc.ha.VmRestartedByHAEvent': 'its host failed and it was restarted by high availability',
};
/** Events of its host that come with a loss of power. The VM must have been started since. */
const hostEvents = new Set(['HostConnectionLostEvent', 'HostShutdownEvent', 'HostDasErrorEvent']);
/** The server gives no more events in one answer; what is beyond would be overlooked. */
const mostEvents = 1000;

/**
 * Why changes since a moment can't be trusted although the server lists them: reverts, moves to other storage, loss of power. Since
 * the server's version 6.5 the query itself reports no error for these.
 *
 * @param since the server's time of the base's snapshot
 */
export async function trackingGap(context: SourceContext, state: VmState, since: string, signal: AbortSignal): Promise<string | undefined> {
  const content = await context.session.content(signal);
  const manager = content.find('eventManager');
  if (manager === undefined) return undefined;
  try {
    const own = await eventsOf(context, manager, state.vm, since, signal);
    if (own.length >= mostEvents) return `it has more than ${mostEvents} events since the last execution`;
    for (const event of own) {
      const told = vmEvents[typeOf(event) ?? ''] ?? vmEvents[textAt(event, 'eventTypeId') ?? ''];
      if (told !== undefined) return told;
      if (/revert/i.test(`${textAt(event, 'info.descriptionId') ?? ''} ${textAt(event, 'info.name') ?? ''}`)) return 'it was reverted to a snapshot';
    }
    // A VM that has run without a break since then did not lose power.
    if (state.host === undefined || state.bootTime === undefined || Date.parse(state.bootTime) <= Date.parse(since)) return undefined;
    const ofHost = await eventsOf(context, manager, state.host, since, signal);
    if (ofHost.length >= mostEvents || ofHost.some((event) => hostEvents.has(typeOf(event) ?? ''))) return 'its host lost its connection or power';
    return undefined;
  } catch (error) {
    if (!(error instanceof CausewayError) || !['source.permission-denied', 'source.unsupported', 'source.not-licensed'].includes(error.code)) throw error;
    return `its events can't be read (${error.message})`;
  }
}

async function eventsOf({ session }: SourceContext, manager: ManagedObject, entity: ManagedObject, since: string, signal: AbortSignal): Promise<readonly XmlElement[]> {
  const filter = data('filter', [
    data('entity', [refer('entity', entity), value('recursion', 'self')]),
    data('time', [value('beginTime', since)]),
  ]);
  return (await session.call('QueryEvents', manager, [filter], signal)).filter(({ name }) => name === 'returnval');
}
