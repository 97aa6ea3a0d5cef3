import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { RetryContextOptions } from '../../../cloud-resources/retry-context.ts';
import type { PlatformContext } from '../../../ports/platform-context.ts';
import type { SourcePlatform } from '../../../ports/source-platform.ts';
import { openAzure } from '../client/open-azure.ts';
import { AzureSource } from './azure-source.ts';

/** The source for VMs of one subscription. Opens nothing yet. @throws `general.invalid-input` */
export function createAzureSource(connection: JsonObject, { scratchFolder, ledger, use }: PlatformContext, options: RetryContextOptions = {}): SourcePlatform {
  return new AzureSource({ cloud: openAzure(connection, options), folder: scratchFolder, ledger, use });
}
