import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { blockNodeName } from '../../nbd/block-node.ts';
import { runTool } from '../../nbd/run-tool.ts';
import type { OpenPlan } from './open-plan.ts';

/** Bytes that a guest sees of the image, rounded up to whole sectors. @throws CausewayError source.image-unreadable */
export async function virtualSize(plan: OpenPlan, signal: AbortSignal): Promise<number> {
  // qemu-img info leaves backing files closed and takes no options for them; an image's size is its own.
  const alone = plan.node.backing === undefined ? plan.node : { ...plan.node, backing: null };
  const output = await runTool('qemu-img', ['info', '--force-share', '--output=json', blockNodeName(alone)], 'source.image-unreadable', signal);
  const told: unknown = JSON.parse(output);
  const bytes = typeof told === 'object' && told !== null && 'virtual-size' in told ? told['virtual-size'] : undefined;
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes)) {
    throw new CausewayError('source.image-unreadable', 'qemu-img did not tell the size of the image');
  }
  return Math.ceil(bytes / 512) * 512;
}
