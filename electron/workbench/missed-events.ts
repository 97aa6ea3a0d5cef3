import type { MoverLink } from '../../shared/contract/mover-calls.ts';
import type { MoverClient } from '../movers/mover-session.ts';

const pageLength = 10_000;

/** What was recorded in a project after an event, by ids: the clocks of both computers play no part. */
export interface MissedEvents {
  /** The newest event's id; 0 where there is none. */
  readonly lastId: number;
  /** What ended since; undefined where nothing did, or where nothing was seen from here before. */
  readonly meanwhile: MoverLink['meanwhile'];
}

/** Reads what happened after the event with this id. */
export async function readMissedEvents(client: Pick<MoverClient, 'call'>, after: number | undefined, signal: AbortSignal): Promise<MissedEvents> {
  const ends = { completed: 0, failed: 0, cancelled: 0 };
  for (let lastId = after ?? 0; ;) {
    const page = await client.call('execution.events', { after: lastId, limit: pageLength }, { signal });
    for (const { type, details } of page) {
      const { state } = details;
      if ((type === 'execution.state' || type === 'deployment.state') && isEnd(state)) ends[state] += 1;
    }
    lastId = page.at(-1)?.id ?? lastId;
    if (page.length === pageLength) continue;
    const isNews = after !== undefined && ends.completed + ends.failed + ends.cancelled > 0;
    return { lastId, meanwhile: isNews ? ends : undefined };
  }
}

function isEnd(state: unknown): state is 'completed' | 'failed' | 'cancelled' {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}
