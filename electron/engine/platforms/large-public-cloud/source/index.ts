import type { JsonObject } from '../../../../../shared/model/json.ts';
import { retryContext, type RetryContextOptions } from '../../../cloud-resources/retry-context.ts';
import type { PlatformContext } from '../../../ports/platform-context.ts';
import type { SourcePlatform } from '../../../ports/source-platform.ts';
import { AwsCloud, type AwsCloudOptions } from '../client/aws-cloud.ts';
import { parseConnection } from '../client/connection.ts';
import { AwsSource } from './aws-source.ts';
import { RecentCreations, type SourceContext } from './source-context.ts';

/** What tests and other hosts of the engine bring of their own. */
export type AwsSourceOptions = RetryContextOptions &
  AwsCloudOptions &
  Partial<Pick<SourceContext, 'gib' | 'snapshotMs' | 'egressAddress' | 'resolveAddress'>>;

/** The first snapshot of a large volume takes hours. */
const snapshotMs = 24 * 3600_000;

/** The source for the VMs of one region. Opens nothing yet. @throws `general.invalid-input` */
export function createAwsSource(
  connection: JsonObject,
  { scratchFolder, ledger, use }: PlatformContext,
  options: AwsSourceOptions = {},
): SourcePlatform {
  const around = retryContext(options);
  return new AwsSource({
    ...around,
    recent: new RecentCreations(around.clock),
    cloud: new AwsCloud(parseConnection(connection), options),
    folder: scratchFolder,
    ledger,
    use,
    note: (message, details) => use?.note?.(message, details),
    snapshotMs: options.snapshotMs ?? snapshotMs,
    gib: options.gib ?? 2 ** 30,
    egressAddress: options.egressAddress,
    resolveAddress: options.resolveAddress,
  });
}
