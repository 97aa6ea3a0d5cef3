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

/** A spec of at most so many seconds shares a process with others; longer ones are alone. */
const shortSeconds = 100;
/** How long the specs of a process take together, at most, and what is not worth a process of its own. */
const [longestSeconds, shortestSeconds] = [200, 40];

/**
 * Short specs in bundles, each of which is one process: the runner starts and loads the engine's modules once for all files of it, which
 * for most of them is more than half of their processor time. Specs that need a resource stay alone. As the longest part goes first, the
 * bundles become shorter and shorter, each a share of what is left: so all places end at about the same time.
 *
 * @param places how many parts run at once
 */
export function bundlesOf(specs: readonly ExpectedSpec[], places: number): Bundle[] {
  const isShort = ({ lease, expectedSeconds }: ExpectedSpec): boolean =>
    lease === undefined && expectedSeconds <= shortSeconds;
  const alone = specs
    .filter((spec) => !isShort(spec))
    .map(({ path, lease, expectedSeconds }) => ({ paths: [path], lease, expectedSeconds }));
  const bundles: Bundle[] = [];
  let left = specs.filter(isShort).toSorted((a, b) => b.expectedSeconds - a.expectedSeconds);
  while (left.length > 0) {
    const share = left.reduce((sum, { expectedSeconds }) => sum + expectedSeconds, 0) / places;
    const most = Math.max(shortestSeconds, Math.min(longestSeconds, share));
    const paths: string[] = [];
    let together = 0;
    left = left.filter(({ path, expectedSeconds }) => {
      if (paths.length > 0 && together + expectedSeconds > most) return true;
      paths.push(path);
      together += expectedSeconds;
      return false;
    });
    bundles.push({ paths, lease: undefined, expectedSeconds: together });
  }
  return [...alone, ...bundles];
}
