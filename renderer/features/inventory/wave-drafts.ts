import type { KeptMachine } from '../../../shared/inventory/inventory.ts';
import { machineBytes } from '../../../shared/inventory/inventory.ts';
import { type SuggestedWave } from '../../../shared/inventory/suggest-waves.ts';

export type Draft = readonly SuggestedWave<KeptMachine>[];

/** Drafts as they followed each other, the present one last. */
export type DraftHistory = readonly Draft[];

/** Moves machines to another wave, which may be a new one. Waves that are empty then go. */
export function moved(draft: Draft, ids: ReadonlySet<string>, to: string): Draft {
  const moving = draft.flatMap(({ machines }) => machines.filter(({ vm }) => ids.has(vm.id)));
  const waves = draft.some(({ name }) => name === to) ? draft : [...draft, { name: to, machines: [] }];
  return waves
    .map(({ name, machines }) => {
      const staying = machines.filter(({ vm }) => !ids.has(vm.id));
      return { name, machines: name === to ? [...staying, ...moving] : staying };
    })
    .filter(({ machines }) => machines.length > 0);
}

/** A name for one more wave. */
export function nextName(draft: Draft, base: string): string {
  for (let number = draft.length + 1; ; number += 1)
    if (draft.every(({ name }) => name !== `${base} ${number}`)) return `${base} ${number}`;
}

export function bytesOf(machines: readonly KeptMachine[]): number {
  return machines.reduce((sum, machine) => sum + machineBytes(machine), 0);
}
