import type { MoverLink } from '../../shared/contract/mover-calls.ts';
import type { MoverClient } from '../movers/mover-client.ts';

const pageLength = 10_000;
/** What comes after these is not counted: somebody waits for the project. */
const mostPages = 10;

/** What was recorded in a project after an event, by ids: the clocks of both computers play no part. */
export interface MissedEvents {
  /** The newest event's id that is known; 0 where there is none. */
  readonly lastId: number;
  /** What ended since; undefined where nothing did, or where nothing was seen from here before. */
  readonly meanwhile: MoverLink['meanwhile'];
}

/** Reads what happened after the event with this id: at most the first 100 000 events. Where none was seen from here before, only the newest one is asked for. */
export async function readMissedEvents(
  client: Pick<MoverClient, 'call'>,
  after: number | undefined,
  signal: AbortSignal,
): Promise<MissedEvents> {
  if (after === undefined) {
    const [newest] = await client.call('execution.events', { newest: true, limit: 1 }, { signal });
    return { lastId: newest?.id ?? 0, meanwhile: undefined };
  }
  const ends = { completed: 0, failed: 0, cancelled: 0 };
  let lastId = after;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await client.call('execution.events', { after: lastId, limit: pageLength }, { signal });
    for (const { type, details } of page) {
      const { state } = details;
      if ((type === 'execution.state' || type === 'deployment.state') && isEnd(state)) ends[state] += 1;
    }
    const before = lastId;
    lastId = page.at(-1)?.id ?? lastId;
    // Ids that do not grow would be the same page for ever.
    if (page.length < pageLength || lastId <= before) break;
  }
  return { lastId, meanwhile: ends.completed + ends.failed + ends.cancelled > 0 ? ends : undefined };
}

function isEnd(state: unknown): state is 'completed' | 'failed' | 'cancelled' {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}
