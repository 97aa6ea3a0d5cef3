export { morphGuestOf, type MorphGuest } from './morph-guest.ts';
export { inspectOnWorker, type InspectRequest } from './inspect-on-worker.ts';
export { inspectImages, type ImageInspection } from './inspect-images.ts';
export type { InspectOptions, InspectOutcome } from './inspection.ts';
export { morphLinuxGuest, type MorphOutcome, type MorphRequest } from './morph-linux-guest.ts';
export { windowsMaterial, windowsModeOf, type WindowsMode } from './windows/windows-mode.ts';
export { morphWindowsByWinrm, type WindowsDisk, type WinrmMorphRequest } from './windows/winrm-guest.ts';
export { programLocation } from './artifact-location.ts';
export type { GuestNic, LuksKey, MorphOptions, MorphStepEvent, UserScript } from './options.ts';
