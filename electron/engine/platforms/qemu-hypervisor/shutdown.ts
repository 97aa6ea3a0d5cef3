import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { QmpCarrier } from '../../qmp/qmp-carrier.ts';
import { vmStatus } from './pause.ts';
import { waitForAnswer } from './wait-for-answer.ts';

const DEADLINE = 5 * 60_000;
const PRESS_AGAIN = 30_000;

/**
 * Presses the power button and waits until the guest is off (QEMU shows it, or is gone).
 * @throws CausewayError source.shutdown-refused after the deadline
 */
export async function shutDownGuest(
  vmId: string,
  qmp: QmpCarrier,
  signal: AbortSignal,
  deadlineMs = DEADLINE,
): Promise<void> {
  let pressedAt = Number.NEGATIVE_INFINITY;
  const isOff = async () => {
    try {
      const status = await vmStatus(qmp, signal);
      if (status === 'shutdown') return true;
      if (status === 'prelaunch') return true;
      if (performance.now() - pressedAt > PRESS_AGAIN) {
        pressedAt = performance.now();
        await qmp.execute('system_powerdown', {}, signal);
      }
      return undefined;
    } catch (error) {
      if (isGone(error)) return true;
      throw error;
    }
  };
  await waitForAnswer(`shutting down ${vmId}`, isOff, { deadlineMs, longestPauseMs: 2000 }, signal).catch(
    (error: unknown) => {
      if (!(error instanceof CausewayError) || error.code !== 'general.deadline') throw error;
      throw new CausewayError(
        'source.shutdown-refused',
        `${vmId} was still running ${deadlineMs} ms after the power button was pressed`,
      );
    },
  );
}

/** Whether QEMU itself ended. */
export function isGone(error: unknown): boolean {
  return (
    error instanceof CausewayError && (error.code === 'source.connection-lost' || error.code === 'source.unreachable')
  );
}
