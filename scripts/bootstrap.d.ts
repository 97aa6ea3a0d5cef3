/** What the bootstrap sees and does outside of itself. */
export interface BootstrapWorld {
  isRoot(): boolean;
  isTerminal(): boolean;
  isDebian(): boolean;
  readonly env: { readonly CI?: string; readonly CAUSEWAY_NO_INSTALL?: string };
  ask(question: string): Promise<boolean>;
  missingOf(packages: readonly string[]): readonly string[];
  listsAreStale(): boolean;
  /** Undefined, or what went wrong. */
  apt(...args: string[]): string | undefined;
  withoutServices<T>(work: () => T): T;
  removeLeftBehind(): void;
  say(text: string): void;
  complain(text: string): void;
}
export function bootstrap(args: readonly string[], world?: BootstrapWorld): Promise<0 | 1 | 2>;
