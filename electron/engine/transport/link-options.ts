import type { AgentLinkOptions } from './agent-link.ts';
import type { Settings } from './connect-options.ts';

// An idle agent must still hear from its caller, or it would exit.
const pingAfterMs = 2000;

/** `isControl`: this link is asked for signs of life; on the others data may be in the way of the answer. */
export function linkOptions(peer: string, settings: Settings, isControl: boolean): AgentLinkOptions {
  return {
    peer,
    checksumPayloads: settings.checksumPayloads,
    pingAfterMs: isControl ? Math.min(pingAfterMs, settings.lostAfterMs / 2) : 0,
    lostAfterMs: settings.lostAfterMs,
    stalledAfterMs: settings.stalledAfterMs,
  };
}
