import type { JsonObject } from '../../../../../shared/model/json.ts';
import { defaultBackOff } from '../../../http/retry-after.ts';
import type { PlatformContext } from '../../../ports/platform-context.ts';
import type { SourcePlatform } from '../../../ports/source-platform.ts';
import { systemClock } from '../../../time/clock.ts';
import { openCloud } from '../client/open-cloud.ts';
import { OpenStackSource } from './openstack-source.ts';
import { storageOptions } from './rbd/storage-cluster.ts';

/** The source for servers of one project. Opens nothing yet. @throws `general.invalid-input` */
export function createOpenStackSource(connection: JsonObject, { scratchFolder, ledger }: PlatformContext): SourcePlatform {
  return new OpenStackSource({
    cloud: openCloud(connection),
    clock: systemClock,
    random: Math.random,
    backOff: defaultBackOff,
    storage: storageOptions(connection['ceph_options']),
    folder: scratchFolder,
    ledger,
  });
}
