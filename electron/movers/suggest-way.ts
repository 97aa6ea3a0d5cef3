/** One way for the data: through this computer, or through a mover. Bytes per second. */
export interface DataWay {
  /** A mover's name; undefined: this computer. */
  readonly mover: string | undefined;
  /** From the source to it; undefined: not measured. */
  readonly source: number | undefined;
  /** From it to the destination. */
  readonly destination: number | undefined;
}

export interface RatedWay extends DataWay {
  /** The slower leg; undefined while one of them is not known. */
  readonly bytesPerSecond: number | undefined;
  readonly seconds: number | undefined;
}

export interface WaySuggestion {
  /** The fastest first; those that are not known last. */
  readonly ways: readonly RatedWay[];
  /** The fastest one that is known in whole. */
  readonly best: RatedWay | undefined;
  /** Against the way through this computer; undefined while one of both is not known. */
  readonly savedSeconds: number | undefined;
  /** Legs without which the suggestion could be another one. */
  readonly missing: readonly { readonly mover: string | undefined; readonly side: 'source' | 'destination' }[];
}

/**
 * Where data should flow. Both legs of a way are used at the same time, so that the slower one decides. A way that cannot be the best, because its
 * one known leg is slower than the best way, need not be measured further.
 *
 * @param bytes what is to be copied
 */
export function suggestWay(ways: readonly DataWay[], bytes: number): WaySuggestion {
  const rated = ways
    .map((way): RatedWay => {
      const { source, destination } = way;
      const bytesPerSecond =
        source === undefined || destination === undefined ? undefined : Math.min(source, destination);
      return {
        ...way,
        bytesPerSecond,
        seconds: bytesPerSecond === undefined || bytesPerSecond <= 0 ? undefined : bytes / bytesPerSecond,
      };
    })
    .toSorted((one, other) => (other.bytesPerSecond ?? -1) - (one.bytesPerSecond ?? -1));
  const best = rated.find(({ seconds }) => seconds !== undefined);
  const here = rated.find(({ mover }) => mover === undefined)?.seconds;
  const missing = rated.flatMap(({ mover, source, destination }) => {
    const known = source ?? destination;
    if (known !== undefined && known <= (best?.bytesPerSecond ?? 0)) return [];
    return [
      ...(source === undefined ? [{ mover, side: 'source' as const }] : []),
      ...(destination === undefined ? [{ mover, side: 'destination' as const }] : []),
    ];
  });
  return {
    ways: rated,
    best,
    savedSeconds: best?.seconds === undefined || here === undefined ? undefined : here - best.seconds,
    missing,
  };
}
