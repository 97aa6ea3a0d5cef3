import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { runTool } from '../../nbd/run-tool.ts';
import type { CheckReport, CheckStep } from '../../ports/platform-common.ts';
import { findVms } from './inventory.ts';
import { planOpen } from './open-plan.ts';

/** Tries what a run needs: the programs, the path, each image's header. */
export async function checkDiskImages(path: string, signal: AbortSignal): Promise<CheckReport> {
  const steps: CheckStep[] = [];
  for (const tool of ['qemu-nbd', 'qemu-img']) {
    steps.push(await step(tool, async () => (await runTool(tool, ['--version'], 'source.image-unreadable', signal)).split('\n', 1)[0] ?? ''));
  }
  steps.push(
    await step('Folder or file', async () => {
      const { vms, problems } = await findVms(path);
      for (const { name, error } of problems) steps.push({ name, outcome: 'warning', evidence: error.message });
      for (const vm of vms) {
        for (const disk of vm.disks) {
          const image = await step(`${vm.id}: ${disk.id}`, async () => (await planOpen(disk.location)).format);
          if (image.outcome === 'failed') steps.push({ ...image, outcome: 'warning' });
        }
      }
      if (vms.length === 0) throw new CausewayError('source.vm-not-found', `no images, OVF or OVA in ${path}`);
      return `${vms.length} VMs`;
    }),
  );
  return { passed: steps.every((entry) => entry.outcome !== 'failed'), steps };
}

async function step(name: string, attempt: () => Promise<string>): Promise<CheckStep> {
  try {
    return { name, outcome: 'passed', evidence: await attempt() };
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code === 'general.cancelled') throw error;
    return { name, outcome: 'failed', evidence: error.message };
  }
}
