import type { Event } from '../../../shared/model/event.ts';

/** How much an event matters, the gravest first. `detail`: what programs in the guest say. */
export const eventLevels = ['error', 'warning', 'info', 'detail'] as const;
export type EventLevel = (typeof eventLevels)[number];

export function levelOf({ type, details }: Pick<Event, 'type' | 'details'>): EventLevel {
  const { state } = details;
  switch (type) {
    case 'task.retry':
    case 'execution.left-behind':
    case 'deployment.left-behind':
    case 'guest.console':
      return 'warning';
    case 'task.state':
    case 'guest.step':
    case 'execution.state':
    case 'deployment.state':
    case 'wave.state':
    case 'wave.member':
      if (state === 'failed') return 'error';
      return state === 'cancelled' || state === 'cancelling' || state === 'interrupted' ? 'warning' : 'info';
    case 'guest.log':
      return 'detail';
    case 'note':
      return 'rule' in details ? 'warning' : 'info';
    case 'execution.created':
    case 'deployment.created':
    case 'disk.done':
    case 'replica.deleted':
      return 'info';
  }
}

/** Whether an event is at least as grave as `least`. */
export function isAtLeast(level: EventLevel, least: EventLevel): boolean {
  return eventLevels.indexOf(level) <= eventLevels.indexOf(least);
}
