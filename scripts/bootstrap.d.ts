/** What the bootstrap sees and does outside of itself. */
export interface BootstrapWorld {
  isRoot(): boolean;
  isTerminal(): boolean;
  readonly env: { readonly CI?: string };
  ask(question: string): Promise<boolean>;
  /** Undefined where there is no dpkg. */
  missingOf(packages: Readonly<Record<string, string>>): readonly string[] | undefined;
  listsAreStale(): boolean;
  apt(...args: string[]): boolean;
  withoutServices<T>(work: () => T): T;
  removeLeftBehind(): void;
  say(text: string): void;
  complain(text: string): void;
}
export function bootstrap(args: readonly string[], world?: BootstrapWorld): Promise<0 | 1 | 2>;
