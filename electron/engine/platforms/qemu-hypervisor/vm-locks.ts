/** One change at a time to each VM's snapshots; in the order of the calls. */
export class VmLocks {
  readonly #tails = new Map<string, Promise<unknown>>();

  run<T>(vmId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(vmId) ?? Promise.resolve();
    const result = before.then(work, work);
    const tail = result.catch(() => undefined);
    this.#tails.set(vmId, tail);
    void tail.then(() => {
      if (this.#tails.get(vmId) === tail) this.#tails.delete(vmId);
    });
    return result;
  }
}
