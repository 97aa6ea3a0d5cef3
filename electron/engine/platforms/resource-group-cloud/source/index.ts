import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { PlatformContext } from '../../../ports/platform-context.ts';
import type { SourcePlatform } from '../../../ports/source-platform.ts';
import { openSession, type AzureContext } from '../destination/session.ts';
import { AzureSource } from './azure-source.ts';
import { VhdBlobs } from './unmanaged/vhd-blobs.ts';

/** The source for VMs of one subscription. Opens nothing yet. @throws `general.invalid-input` */
export function createAzureSource(
  connection: JsonObject,
  { scratchFolder, ledger, use, signIn }: PlatformContext,
  options: AzureContext = {},
): SourcePlatform {
  const session = openSession(connection, { signIn, ...options });
  return new AzureSource({ cloud: session, session, vhds: new VhdBlobs(session), folder: scratchFolder, ledger, use });
}
