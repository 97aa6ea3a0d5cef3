/** Tells what the demonstration does, and keeps what it proved for the end. */
export interface Story {
  chapter(title: string): void;
  say(text: string): void;
  /** Notes a proof; throws when it does not hold, because a demonstration that goes on would lie. */
  prove(claim: string, holds: boolean, evidence: string): void;
  close(): void;
}

export function tellStory(): Story {
  const started = performance.now();
  const proofs: string[] = [];
  const time = (): string => `${((performance.now() - started) / 1000).toFixed(0).padStart(4)} s`;
  return {
    chapter: (title) => console.log(`\n${time()}  ── ${title}`),
    say: (text) => console.log(`${time()}     ${text}`),
    prove(claim, holds, evidence) {
      if (!holds) throw new Error(`${claim}: not confirmed. ${evidence}`);
      proofs.push(`${claim} (${evidence})`);
      console.log(`${time()}   ✓ ${claim}: ${evidence}`);
    },
    close() {
      console.log(`\nProved in ${time().trim()}:`);
      for (const proof of proofs) console.log(`  ✓ ${proof}`);
    },
  };
}
