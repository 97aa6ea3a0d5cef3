import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { PlatformContext } from '../../../ports/platform-context.ts';
import type { SourcePlatform } from '../../../ports/source-platform.ts';
import { openManager, type OpenManagerOptions } from '../client/open-manager.ts';
import { OvmSource } from './ovm-source.ts';
import type { Reached } from '../workers/template-worker.ts';

/** What may be brought along in place of the usual; for tests. */
export interface OvmSourceOptions extends OpenManagerOptions {
  readonly reached?: Reached;
  /** Environments by VM, as if this process had taken the VM's snapshot. */
  readonly environments?: ReadonlyMap<string, JsonObject>;
}

/** The source for the VMs of one manager. Opens nothing yet. @throws `general.invalid-input` */
export function createOvmSource(
  connection: JsonObject,
  { scratchFolder, ledger, use }: PlatformContext,
  options: OvmSourceOptions = {},
): SourcePlatform {
  const context = { manager: openManager(connection, options), folder: scratchFolder, ledger, use };
  return new OvmSource(context, options.reached ?? ((host, port) => ({ host, port })), options.environments);
}
