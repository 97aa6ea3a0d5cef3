import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { PlatformContext } from '../../../ports/platform-context.ts';
import type { SourcePlatform } from '../../../ports/source-platform.ts';
import { openSession } from '../destination/context.ts';
import { OpenStackSource } from './openstack-source.ts';

import { storageOptions } from './rbd/storage-cluster.ts';
import { usualDeadlines, type SourceContext } from './source-context.ts';

/** The source for servers of one project. Opens nothing yet. @throws `general.invalid-input` */
export function createOpenStackSource(connection: JsonObject, context: PlatformContext): SourcePlatform {
  return new OpenStackSource(sourceContext(connection, context));
}

/** What the source's parts share, for an endpoint. */
export function sourceContext(
  connection: JsonObject,
  { scratchFolder, ledger, use }: PlatformContext,
  deadlines = usualDeadlines,
): SourceContext {
  const session = openSession(connection, {});
  return {
    session,
    cloud: session.cloud,
    clock: session.clock,
    random: session.random,
    backOff: session.timing.backOff,
    storage: storageOptions(connection['ceph_options']),
    folder: scratchFolder,
    ledger,
    use,
    deadlines,
  };
}
