export { morphGuestOf, type MorphGuest } from './morph-guest.ts';
export {
  inspectLinuxGuest, morphLinuxGuest, type InspectOutcome, type MorphOutcome, type MorphRequest,
} from './morph-linux-guest.ts';
export type { GuestNic, LuksKey, MorphOptions, MorphStepEvent, UserScript } from './options.ts';
