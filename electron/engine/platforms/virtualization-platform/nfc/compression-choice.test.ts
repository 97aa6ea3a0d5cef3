import { describe, expect, it } from 'vitest';
import { CompressionChoice } from './compression-choice.ts';
import { Compression, type CompressionType } from './protocol.ts';

const MIB = 2 ** 20;

interface Link {
  /** Bytes a second that cross the network, and that the host packs with each compression. */
  readonly rate: number;
  readonly packs?: Partial<Record<CompressionType, number>>;
  /** What each compression leaves of a byte. */
  readonly leaves: Partial<Record<CompressionType, number>>;
  readonly isBusy?: boolean;
}

/** Reads so many mebibytes over a link, with 16 reads under way; what each was asked for with. */
function readOver(link: Link, choice: CompressionChoice, clock: { ms: number }, mebibytes: number): CompressionType[] {
  const asked: CompressionType[] = [];
  const inFlight: CompressionType[] = [];
  while (asked.length < mebibytes || inFlight.length > 0) {
    while (asked.length < mebibytes && inFlight.length < 16) {
      const compression = choice.next();
      asked.push(compression);
      inFlight.push(compression);
    }
    const compression = inFlight.shift() as CompressionType;
    const wireBytes = Math.round((link.leaves[compression] ?? 1) * MIB);
    clock.ms += 1000 * Math.max(wireBytes / link.rate, MIB / (link.packs?.[compression] ?? 1e12));
    choice.took({ compression, plainBytes: MIB, wireBytes, isBusy: link.isBusy ?? inFlight.length > 4 });
  }
  return asked;
}

function start(first: CompressionType = Compression.skipz) {
  const clock = { ms: 0 };
  const kept: CompressionType[] = [];
  const choice = new CompressionChoice(
    first,
    (compression) => void kept.push(compression),
    () => clock.ms,
  );
  return { choice, kept, read: (link: Link, mebibytes: number) => readOver(link, choice, clock, mebibytes) };
}

const text = { [Compression.skipz]: 0.95, [Compression.fastlz]: 0.5, [Compression.zlib]: 0.35 };
const noise = { [Compression.skipz]: 1, [Compression.fastlz]: 1, [Compression.zlib]: 1 };

describe('compression of what a host sends', () => {
  it('stays the cheapest on a fast link', () => {
    const { read } = start();
    expect(new Set(read({ rate: 110 * MIB, leaves: text }, 2000))).toEqual(new Set([Compression.skipz]));
  });

  it('becomes a stronger one on a slow link, the strongest on a very slow one', () => {
    const slow = start();
    expect(slow.read({ rate: 12 * MIB, leaves: text }, 500).at(-1)).toBe(Compression.fastlz);
    expect(slow.kept).toEqual([Compression.fastlz]);
    const verySlow = start();
    expect(verySlow.read({ rate: MIB, leaves: text }, 500).at(-1)).toBe(Compression.zlib);
    expect(verySlow.kept).toEqual([Compression.fastlz, Compression.zlib]);
  });

  it('stays as it is for content that does not shrink, and is tried again on other parts of the disk', () => {
    const { read, kept } = start();
    const asked = read({ rate: 12 * MIB, leaves: noise }, 400);
    expect(asked.filter((compression) => compression === Compression.fastlz).length).toBeLessThan(30);
    expect(asked.at(-1)).toBe(Compression.skipz);
    expect(read({ rate: 12 * MIB, leaves: text }, 600).at(-1)).toBe(Compression.fastlz);
    expect(kept).toEqual([Compression.fastlz]);
  });

  it('goes back where the host packs slower than the link', () => {
    const { read, kept, choice } = start();
    read({ rate: 30 * MIB, leaves: text, packs: { [Compression.fastlz]: 20 * MIB } }, 400);
    expect([choice.current, kept]).toEqual([Compression.skipz, []]);
  });

  it.each([Compression.skipz, Compression.none])(
    'becomes what it was at first (%i) when the link gets fast',
    (first) => {
      const { read, choice } = start(first);
      read({ rate: 12 * MIB, leaves: text }, 300);
      expect(choice.current).toBe(Compression.fastlz);
      read({ rate: 200 * MIB, leaves: text }, 2000);
      expect(choice.current).toBe(first);
    },
  );

  it('says nothing of a link that waits for whoever reads', () => {
    const { read } = start();
    expect(new Set(read({ rate: MIB, leaves: text, isBusy: false }, 500))).toEqual(new Set([Compression.skipz]));
  });

  it('is never again one that the host has refused', () => {
    const { read, choice } = start();
    choice.refused(Compression.fastlz);
    expect(new Set(read({ rate: MIB, leaves: text }, 2000))).toEqual(new Set([Compression.skipz]));
    choice.refused(Compression.skipz);
    expect(new Set(read({ rate: MIB, leaves: text }, 2000))).toEqual(new Set([Compression.none]));
  });

  it('is tried anew on another connection', () => {
    const { read, choice, kept } = start();
    read({ rate: 12 * MIB, leaves: text }, 45);
    choice.reconnected();
    expect(choice.current).toBe(Compression.skipz);
    read({ rate: 12 * MIB, leaves: text }, 300);
    expect(kept).toEqual([Compression.fastlz]);
  });
});
