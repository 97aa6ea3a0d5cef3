import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Snapshot } from '../../../ports/source-platform.ts';
import { data, objectOf, refer, sameObject, value, type ManagedObject } from '../client/request.ts';
import { atPath, integerAt, textAt, typeOf, type XmlElement } from '../client/xml.ts';
import { historyMark } from './snapshot-state.ts';
import type { SourceContext } from './source-context.ts';
import type { VmState } from './inventory.ts';

/** Events of the VM after which tracked changes may have gaps, with what happened, in words. Ids of services are in lower case. */
const vmEvents: Readonly<Record<string, string>> = {
  VmRelocatedEvent: 'its disks were moved to other storage',
  VmRestartedOnAlternateHostEvent: 'its host failed and it was restarted on another one',
  VmDasBeingResetEvent: 'it was reset by high availability',
  VmDasBeingResetWithScreenshotEvent: 'it was reset by high availability',
  'com.vmware.vc.ha.vmrestartedbyhaevent': 'its host failed and it was restarted by high availability',
};
/** Events of a host that come with a loss of power, or hide one. A single host reports them as `EventEx` with ids of its own. */
const hostEvents = new Set([
  'HostConnectionLostEvent',
  'HostShutdownEvent',
  'HostDasErrorEvent',
  'com.vmware.vc.ha.dashostfailedevent',
  'esx.audit.host.boot',
  'esx.audit.host.poweroff.reason.unavailable',
  'esx.problem.host.coredump',
]);
/** The VM begins to run; the next ones say that it does. Each start needs an end of the former run before it. */
const beginnings = new Set(['VmStartingEvent', 'VmResumingEvent']);
const starts = new Set(['VmPoweredOnEvent', 'DrsVmPoweredOnEvent']);
/** Somebody asked for the end of the run, so that the VM's files were closed in order. */
const orderlyEnds = new Set(['VmGuestShutdownEvent', 'VmStoppingEvent']);
/** The run has ended, for whatever reason. */
const ends = new Set(['VmPoweredOffEvent', 'VmSuspendedEvent', 'VmSuspendingEvent']);
/** The server gives no more events in one answer; what is beyond would be overlooked. */
const mostEvents = 1000;
/** Events are asked for from a little before the base on. Those before it are left out by their order, not by their time. */
const marginMs = 60_000;

/**
 * Why changes since a base can't be trusted although the server lists them: reverts, moves to other storage, loss of power. Since
 * the server's version 6.5 the query itself reports no error for these.
 *
 * A history that is incomplete says nothing: a single host keeps minutes of it, and a management server purges it. It is trusted only
 * when it still has the task that took the snapshot of the base, as the oldest events go first.
 */
export async function trackingGap(
  context: SourceContext,
  state: VmState,
  base: Snapshot,
  signal: AbortSignal,
): Promise<string | undefined> {
  const content = await context.session.content(signal);
  const manager = content.find('eventManager');
  if (manager === undefined) return 'the server keeps no history';
  const since = new Date(Date.parse(base.takenAt) - marginMs).toISOString();
  try {
    const all = await eventsOf(context, manager, state.vm, since, signal);
    if (all.length >= mostEvents) return `it has more than ${mostEvents} events since the last execution`;
    const own = eventsAfterBase(all, base);
    if (own === undefined) return 'its history since the last execution is incomplete';
    for (const event of own) {
      const told = vmEvents[typeOf(event) ?? ''] ?? vmEvents[idOf(event)];
      if (told !== undefined) return told;
      if (/revert/i.test(`${textAt(event, 'info.descriptionId') ?? ''} ${textAt(event, 'info.name') ?? ''}`))
        return 'it was reverted to a snapshot';
    }
    // A VM that has run without a break since then did not lose power.
    if (state.bootTime !== undefined && Date.parse(state.bootTime) <= Date.parse(base.takenAt)) return undefined;
    const power = powerHistory(own, {
      wasRunning: historyMark(base).wasRunning,
      isRunning: state.power === 'running',
      hasBooted: state.bootTime !== undefined,
    });
    if (power.gap !== undefined || power.isOrderly) return power.gap;
    for (const host of hostsOf(own, state)) {
      const ofHost = await eventsOf(context, manager, host, since, signal);
      if (ofHost.length >= mostEvents || ofHost.some(isLossOfHost)) return 'its host lost its connection or power';
    }
    return undefined;
  } catch (error) {
    if (
      !(error instanceof CausewayError) ||
      !['source.permission-denied', 'source.unsupported', 'source.not-licensed'].includes(error.code)
    )
      throw error;
    return `its events can't be read (${error.message})`;
  }
}

/** Why a VM that was off when a snapshot was taken may have run since; undefined when it has not. */
export async function whyNotOff(
  context: SourceContext,
  state: VmState,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (state.power !== 'stopped') return 'it is no longer off';
  const manager = (await context.session.content(signal)).find('eventManager');
  const since = new Date(Date.parse(snapshot.takenAt) - marginMs).toISOString();
  const own =
    manager === undefined
      ? undefined
      : eventsAfterBase(await eventsOf(context, manager, state.vm, since, signal), snapshot);
  if (own === undefined) return 'the history of the server does not say whether it was started';
  return own.some((event) => beginnings.has(typeOf(event) ?? '') || starts.has(typeOf(event) ?? ''))
    ? 'it was started'
    : undefined;
}

/** What happened after the snapshot of the base was asked for, in order; undefined when the history does not reach back to that. */
function eventsAfterBase(all: readonly XmlElement[], base: Snapshot): readonly XmlElement[] | undefined {
  const { creationTask } = historyMark(base);
  const orderOf = (event: XmlElement): number => integerAt(event, 'key') ?? 0;
  const inOrder = all.toSorted((one, other) => orderOf(one) - orderOf(other));
  const at =
    creationTask === undefined
      ? -1
      : inOrder.findIndex((event) => [textAt(event, 'info.key'), textAt(event, 'info.task')].includes(creationTask));
  return at === -1 ? undefined : inOrder.slice(at + 1);
}

interface PowerStates {
  /** When the snapshot of the base was taken. */
  readonly wasRunning: boolean;
  readonly isRunning: boolean;
  /** The platform says that it was started since. */
  readonly hasBooted: boolean;
}

/**
 * Whether the VM lost power, by its own events. `isOrderly` when each end of a run was asked for; without that, an end may be how
 * the server found the VM after its host had failed.
 */
function powerHistory(
  events: readonly XmlElement[],
  { wasRunning, isRunning, hasBooted }: PowerStates,
): { readonly gap?: string; readonly isOrderly: boolean } {
  let isUp = wasRunning;
  let isStarting = false;
  let isAsked = false;
  let isOrderly = true;
  let hasStarted = false;
  for (const event of events) {
    const type = typeOf(event) ?? '';
    if (orderlyEnds.has(type) || /\.(powerOff|shutdownGuest|suspend)$/i.test(textAt(event, 'info.descriptionId') ?? ''))
      isAsked = true;
    if (ends.has(type)) {
      isOrderly &&= isAsked;
      isUp = false;
    }
    if (!beginnings.has(type) && !starts.has(type)) continue;
    if (isUp && !(isStarting && starts.has(type)))
      return { gap: 'it was started without having been shut down: it lost power', isOrderly: false };
    [isUp, isStarting, isAsked, hasStarted] = [true, beginnings.has(type), false, true];
  }
  if (hasBooted && !hasStarted)
    return { gap: 'it was started, and its history does not say when it stopped', isOrderly: false };
  // The end of a run that was asked for may be reported a little later.
  if (isUp && !isRunning && !isAsked)
    return { gap: 'it is off without having been shut down: it lost power', isOrderly: false };
  return { isOrderly };
}

/** The host of now and those that the VM's events name. */
function hostsOf(events: readonly XmlElement[], state: VmState): readonly ManagedObject[] {
  const named = [state.host, ...events.map((event) => objectOf(atPath(event, 'host.host')))].filter(
    (host) => host !== undefined,
  );
  return named.filter((host, index) => named.findIndex((other) => sameObject(host, other)) === index);
}

const isLossOfHost = (event: XmlElement): boolean => hostEvents.has(typeOf(event) ?? '') || hostEvents.has(idOf(event));

/** Servers do not agree on capitals in the ids of services. */
const idOf = (event: XmlElement): string => (textAt(event, 'eventTypeId') ?? '').toLowerCase();

async function eventsOf(
  { session }: SourceContext,
  manager: ManagedObject,
  entity: ManagedObject,
  since: string,
  signal: AbortSignal,
): Promise<readonly XmlElement[]> {
  const filter = data('filter', [
    data('entity', [refer('entity', entity), value('recursion', 'self')]),
    data('time', [value('beginTime', since)]),
  ]);
  return (await session.call('QueryEvents', manager, [filter], signal)).filter(({ name }) => name === 'returnval');
}
