/** Removes the policy of an installation that was killed. */
export function removeLeftBehind(path?: string): void;
export function withoutServices<T>(work: () => T, path?: string): T;
