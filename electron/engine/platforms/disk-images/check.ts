import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { checkStep } from '../../endpoint-checks/check-step.ts';
import type { CheckReport, CheckStep } from '../../ports/platform-common.ts';
import { inspectImage } from './inspect-image.ts';
import { endpointFolder, findVms } from './inventory.ts';

/** Tries what an execution needs: the path, and the headers of each image. */
export async function checkDiskImages(path: string, signal: AbortSignal): Promise<CheckReport> {
  const steps: CheckStep[] = [];
  steps.push(
    await checkStep('Folder or file', async () => {
      const folder = await endpointFolder(path);
      const { vms, problems } = await findVms(path, signal);
      for (const { name, error } of problems) steps.push({ name, outcome: 'warning', evidence: error.message });
      for (const vm of vms) {
        for (const disk of vm.disks) {
          if (signal.aborted) throw new CausewayError('general.cancelled', 'the check was cancelled');
          const image = await checkStep(
            `${vm.id}: ${disk.id}`,
            async () => (await inspectImage(disk.location, folder)).format,
          );
          if (image.outcome === 'failed') steps.push({ ...image, outcome: 'warning' });
        }
      }
      if (vms.length === 0) throw new CausewayError('source.vm-not-found', `no images, OVF or OVA in ${path}`);
      return `${vms.length} ${vms.length === 1 ? 'VM' : 'VMs'}`;
    }),
  );
  return { passed: steps.every((entry) => entry.outcome !== 'failed'), steps };
}
