import type { MachineLife } from '../../../shared/model/machine-life.ts';

/** What people can do with a VM on its way, besides executing its replica. */
export const lifeChoices = ['rehearse', 'approve', 'withdraw', 'cut-over', 'roll-back', 'finalise'] as const;
export type LifeChoice = (typeof lifeChoices)[number];

export interface Choices {
  /** What leads on. */
  readonly next?: LifeChoice;
  readonly others: readonly LifeChoice[];
}

/** What can be done next with a VM, and what else. The engine refuses the rest. */
export function choicesOf({ state, next }: Pick<MachineLife, 'state' | 'next'>): Choices {
  const needsFix = next === 'fix-settings';
  switch (state) {
    case 'in-sync':
      return needsFix
        ? { others: [] }
        : next === 'rehearse'
          ? { next: 'rehearse', others: ['approve', 'cut-over'] }
          : { others: ['approve'] };
    case 'rehearsed':
      return needsFix ? { others: [] } : { next: 'approve', others: ['rehearse', 'cut-over'] };
    case 'approved':
      return needsFix ? { others: ['withdraw'] } : { next: 'cut-over', others: ['rehearse', 'withdraw'] };
    case 'cut-over-failed':
      return { next: 'roll-back', others: ['cut-over'] };
    case 'running-at-destination':
      return { next: 'finalise', others: ['roll-back'] };
    case 'rolling-back':
      return { next: 'roll-back', others: [] };
    case 'finalising':
      return { next: 'finalise', others: [] };
    case 'not-ready':
    case 'ready':
    case 'initial-copy':
    case 'cutting-over':
    case 'rolled-back':
    case 'finalised':
      return { others: [] };
  }
}

export function isPossible(life: Pick<MachineLife, 'state' | 'next'>, choice: LifeChoice): boolean {
  const { next, others } = choicesOf(life);
  return next === choice || others.includes(choice);
}

/** Whether the replica may not be executed or deployed: its VM runs at the destination, or is on its way there or back. */
export function isHandedOver({ state }: Pick<MachineLife, 'state'>): boolean {
  return [
    'cutting-over',
    'cut-over-failed',
    'running-at-destination',
    'rolling-back',
    'finalising',
    'finalised',
  ].includes(state);
}
