import type { QemuHypervisorConnection } from '../../../../shared/plugins/qemu-hypervisor/connection.ts';
import type { PlatformContext } from '../../ports/platform-context.ts';
import type { SourcePlatform } from '../../ports/source-platform.ts';
import { QemuHypervisorSource } from './qemu-hypervisor-source.ts';
import type { FleecingChoice } from './take-snapshot.ts';

/**
 * The source for running VMs of QEMU, by QMP socket or through libvirt. Connects when it is first asked. `fleecing` is
 * for tests: `auto` takes the way that never harms the guest wherever QEMU has it.
 */
export function createQemuHypervisorSource(
  connection: QemuHypervisorConnection,
  context: PlatformContext,
  fleecing: FleecingChoice = 'auto',
): SourcePlatform {
  return new QemuHypervisorSource(connection, context, fleecing);
}
