import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { runTool } from '../../nbd/run-tool.ts';
import { checkStep } from '../../endpoint-checks/check-step.ts';
import type { CheckReport, CheckStep } from '../../ports/platform-common.ts';
import { findVms } from './inventory.ts';
import { planOpen } from './open-plan.ts';

/** Tries what a run needs: the programs, the path, each image's header. */
export async function checkDiskImages(path: string, signal: AbortSignal): Promise<CheckReport> {
  const steps: CheckStep[] = [];
  for (const tool of ['qemu-nbd', 'qemu-img']) {
    steps.push(await checkStep(tool, async () => (await runTool(tool, ['--version'], 'source.image-unreadable', signal)).split('\n', 1)[0] ?? ''));
  }
  steps.push(
    await checkStep('Folder or file', async () => {
      const { vms, problems } = await findVms(path);
      for (const { name, error } of problems) steps.push({ name, outcome: 'warning', evidence: error.message });
      for (const vm of vms) {
        for (const disk of vm.disks) {
          const image = await checkStep(`${vm.id}: ${disk.id}`, async () => (await planOpen(disk.location)).format);
          if (image.outcome === 'failed') steps.push({ ...image, outcome: 'warning' });
        }
      }
      if (vms.length === 0) throw new CausewayError('source.vm-not-found', `no images, OVF or OVA in ${path}`);
      return `${vms.length} VMs`;
    }),
  );
  return { passed: steps.every((entry) => entry.outcome !== 'failed'), steps };
}
