import { describe } from 'vitest';
import { transportLab, type Mechanism } from './transport-lab.ts';
import { transportContent } from './transport-content.ts';
import { transportFlow } from './transport-flow.ts';
import { transportLife } from './transport-life.ts';

/** What every way to the agent must do, against a real sshd, a real agent and real files. */
export function transportConformance(mechanism: Mechanism): void {
  describe(`the transport by ${mechanism}`, () => {
    const lab = transportLab(mechanism);
    // The agent answers these by the same code whatever they came over; in the usual tier whole executions over SSH are compared byte by byte.
    if (mechanism === 'HTTPS' || process.env['CAUSEWAY_EVERY_STEP'] === '1') transportContent(lab);
    transportFlow(lab);
    transportLife(lab);
  });
}
