import type { LifeState, LifeStep } from '../model/machine-life.ts';

/** States of a VM as documents and the command line name them. */
export const lifeStateText: Readonly<Record<LifeState, string>> = {
  'not-ready': 'Not ready',
  ready: 'Ready',
  'initial-copy': 'Initial copy',
  'in-sync': 'In sync',
  rehearsed: 'Rehearsed',
  approved: 'Approved',
  'cutting-over': 'Cutting over',
  'cut-over-failed': 'Cut-over failed',
  'running-at-destination': 'Running at destination',
  'rolling-back': 'Rolling back',
  'rolled-back': 'Rolled back',
  finalising: 'Finalising',
  finalised: 'Finalised',
};

/** What to do next, as an instruction. */
export const lifeStepText: Readonly<Record<LifeStep, string>> = {
  'fix-settings': 'Fix the settings',
  execute: 'Execute',
  wait: 'Wait',
  rehearse: 'Rehearse',
  approve: 'Approve',
  'cut-over': 'Cut over',
  resume: 'Resume',
  'roll-back-or-retry': 'Roll back, or cut over again',
  'finalise-or-roll-back': 'Finalise, or roll back',
  'roll-back-again': 'Continue the roll-back',
  'finalise-again': 'Continue finalising',
  none: '',
};
