import { violation } from './protocol.ts';

/** More gaps than any order of real fragments leaves: what a hostile host could use to make each fragment cost more. */
const MAX_RUNS = 512;

/** Which bytes of a request have come. Refuses what comes twice. */
export class ReceivedRuns {
  /** Ends and starts in ascending order: [start, end, start, end, …], touching runs merged. */
  readonly #edges: number[] = [];

  /** Notes that [from, to) has come. @throws CausewayError source.protocol */
  add(from: number, to: number): void {
    const edges = this.#edges;
    // In order, which is usual.
    if (edges.length === 2 && edges[1] === from) {
      edges[1] = to;
      return;
    }
    let at = 0;
    while (at < edges.length && (edges[at + 1] as number) <= from) at += 2;
    if (at < edges.length && (edges[at] as number) < to) throw violation('fragments of a read overlap');
    const joinsBefore = at > 0 && edges[at - 1] === from;
    const joinsAfter = at < edges.length && edges[at] === to;
    if (joinsBefore && joinsAfter) edges.splice(at - 1, 2);
    else if (joinsBefore) edges[at - 1] = to;
    else if (joinsAfter) edges[at] = from;
    else edges.splice(at, 0, from, to);
    if (edges.length > 2 * MAX_RUNS) throw violation('a read in too many fragments');
  }

  /** True once all of [0, length) has come. */
  isComplete(length: number): boolean {
    return this.#edges.length === 2 && this.#edges[0] === 0 && this.#edges[1] === length;
  }
}
