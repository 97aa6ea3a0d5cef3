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

/** A spec of at most so many seconds shares a process with others, of at most so many together; longer ones are alone. Whatever is longest goes first. */
const [shortSeconds, togetherSeconds] = [100, 200];

/**
 * Short specs in bundles, each of which is one process: the runner starts and loads the engine's modules once for all files of it, which
 * for most of them is more than half of their processor time. Specs that need a resource stay alone.
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
