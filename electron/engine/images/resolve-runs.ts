import { RunList, type Layer, type Run } from './layer.ts';

/** Calls of layers for one answer; what is left is found by the next question, so that each one is bounded. */
const MAX_CALLS = 1024;

/** Runs of a chain of layers: none of them is `below`. As `Layer.runs`, it may cover only the start of the range. */
export function resolveRuns(layers: readonly Layer[], offset: number, length: number): Promise<readonly Run[]> {
  return resolveFrom(layers, 0, offset, length, { calls: MAX_CALLS });
}

async function resolveFrom(
  layers: readonly Layer[],
  level: number,
  offset: number,
  length: number,
  left: { calls: number },
): Promise<readonly Run[]> {
  const layer = layers[level];
  // Beyond the end of a base that is smaller, the disk is zero.
  if (layer === undefined || offset >= layer.sizeBytes) return [{ kind: 'zero', length }];
  left.calls -= 1;
  const runs = await layer.runs(offset, Math.min(length, layer.sizeBytes - offset));
  if (!runs.some((run) => run.kind === 'below')) return runs;
  const list = new RunList();
  for (const run of runs) {
    if (run.kind !== 'below') {
      list.add(run);
      continue;
    }
    const end = list.length + run.length;
    while (list.length < end) {
      // The first run is found whatever it takes, which is one call for each layer.
      if (left.calls <= 0 && list.length > 0) return list.runs;
      for (const found of await resolveFrom(layers, level + 1, offset + list.length, end - list.length, left))
        list.add(found);
    }
  }
  return list.runs;
}
