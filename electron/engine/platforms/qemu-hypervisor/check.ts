import { checkStep } from '../../endpoint-checks/check-step.ts';
import type { CheckReport, CheckStep } from '../../ports/platform-common.ts';
import { hostKeyFingerprint } from '../../transport/host-keys.ts';
import type { VmEndpoints } from './endpoints.ts';
import { needObject, numberAt, objectAt } from './qmp-values.ts';
import { readDisks } from './vm-disks.ts';

/** Asks each VM's QEMU for its version and its disks. */
export async function checkHypervisor(endpoints: VmEndpoints, signal: AbortSignal): Promise<CheckReport> {
  const steps: CheckStep[] = [];
  const { ssh } = endpoints;
  if (ssh !== undefined) {
    steps.push(
      await checkStep('SSH', async () => `signed in; host key ${hostKeyFingerprint(await ssh.hostKey(signal))}`),
    );
    if (steps[0]?.outcome === 'failed') return { passed: false, steps };
  }
  let ids: readonly string[] = [];
  steps.push(
    await checkStep('VMs', async () => {
      ids = await endpoints.ids(signal);
      return `${ids.length}: ${ids.slice(0, 20).join(', ')}`;
    }),
  );
  for (const id of ids) {
    steps.push(
      await checkStep(id, async () => {
        const { qmp } = await endpoints.find(id, signal);
        const version = objectAt(needObject(await qmp.execute('query-version', {}, signal), 'query-version'), 'qemu');
        const disks = await readDisks(qmp, signal);
        const kept = disks.filter((disk) => disk.keepsBitmaps).length;
        return `QEMU ${numberAt(version, 'major') ?? '?'}.${numberAt(version, 'minor') ?? '?'}, ${disks.length} disks, change tracking is persistent on ${kept} of them`;
      }),
    );
  }
  return { passed: steps.every((entry) => entry.outcome !== 'failed'), steps };
}
