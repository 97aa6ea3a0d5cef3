/** A spec file with what is known of it. */
export interface ExpectedSpec {
  readonly path: string;
  readonly lease: string | undefined;
  /** How long it is expected to take, seconds. */
  readonly expectedSeconds: number;
}

/** Spec files that one process of the test runner takes one after the other. */
export interface Bundle {
  readonly paths: readonly string[];
  readonly lease: string | undefined;
  readonly expectedSeconds: number;
}

/** A spec of at most so many seconds shares a process with others, of at most so many together: long ones go first and alone. */
const [shortSeconds, togetherSeconds] = [45, 120];

/**
 * Short specs in bundles, so that the runner starts and reads the engine's sources once for several of them: for the shortest that is
 * more than half of their processor time. Specs that need a resource stay alone.
 */
export function bundlesOf(specs: readonly ExpectedSpec[]): Bundle[] {
  const isShort = ({ lease, expectedSeconds }: ExpectedSpec): boolean => lease === undefined && expectedSeconds <= shortSeconds;
  const alone = specs.filter((spec) => !isShort(spec)).map(({ path, lease, expectedSeconds }) => ({ paths: [path], lease, expectedSeconds }));
  const bundles: { readonly paths: string[]; readonly lease: undefined; expectedSeconds: number }[] = [];
  for (const { path, expectedSeconds } of specs.filter(isShort).toSorted((a, b) => b.expectedSeconds - a.expectedSeconds)) {
    const fitting = bundles.find((bundle) => bundle.expectedSeconds + expectedSeconds <= togetherSeconds);
    if (fitting === undefined) bundles.push({ paths: [path], lease: undefined, expectedSeconds });
    else {
      fitting.paths.push(path);
      fitting.expectedSeconds += expectedSeconds;
    }
  }
  return [...alone, ...bundles];
}
