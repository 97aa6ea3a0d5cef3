/** Rows by id, with their names, kept up to date while files are taken in. */
export class Known<T extends { readonly id: string; readonly name: string }> {
  readonly #rows: Map<string, T>;
  readonly #idOfName: Map<string, string>;

  constructor(rows: readonly T[]) {
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#idOfName = new Map(rows.map(({ id, name }) => [name, id]));
  }

  get(id: string): T | undefined {
    return this.#rows.get(id);
  }

  /** Whether something else has the name. */
  isTaken(name: string, id: string): boolean {
    const holder = this.#idOfName.get(name);
    return holder !== undefined && holder !== id;
  }

  put(row: T): void {
    const former = this.#rows.get(row.id);
    if (former !== undefined) this.#idOfName.delete(former.name);
    this.#rows.set(row.id, row);
    this.#idOfName.set(row.name, row.id);
  }
}
