import type { Moment, PlatformCalls } from './platform-calls.ts';

/** Calls of which the link is to be cut; `when` tells at which end. */
interface Cut {
  readonly from: number;
  readonly to: number;
  readonly when: Moment;
  readonly tell: () => void;
}

/** Counts the calls of a lab whose platform cannot be told to go wrong, and says which of them this side cuts. */
export class CutList {
  readonly #names: string[] = [];
  #cuts: Cut[] = [];

  /** Records a call. Answers with its number, from 1. */
  count(name: string): number {
    return this.#names.push(name);
  }

  /** The cut at a call, if it has one: at the given end, or at either. */
  find(number: number, when?: Moment): Cut | undefined {
    return this.#cuts.find(
      (cut) => (when === undefined || cut.when === when) && number >= cut.from && number <= cut.to,
    );
  }

  /** @param isRead whether a call only reads, by its name */
  asCalls(isRead: (name: string) => boolean): PlatformCalls {
    const add = (n: number, more: number, when: Moment, tell: () => void): void => {
      const from = this.#names.length + n;
      this.#cuts.push({ from, to: from + more, when, tell });
    };
    return {
      faults: ['cut-before', 'cut-after'],
      callCount: () => this.#names.length,
      callName: (number) => this.#names[number - 1] ?? 'none',
      callChanges: (number) => {
        const name = this.#names[number - 1];
        return name !== undefined && !isRead(name);
      },
      failCall: (n, fault) => add(n, 0, fault === 'cut-after' ? 'after' : 'before', () => undefined),
      cutOff: (n, when, tell) => {
        if (when === 'after') add(n, 0, 'after', tell);
        add(when === 'after' ? n + 1 : n, Infinity, 'before', tell);
      },
      clearFaults: () => {
        this.#cuts = [];
      },
    };
  }
}
