import type { CatalogQuota } from '../model/catalog.ts';
import {
  bytesInWindow,
  changePerSecond,
  type ChangeRate,
  type MeasuredChange,
  type WindowCopies,
} from './change-rate.ts';
import { mostByQuotas } from './destination-quotas.ts';
import { bytesWithin, type WaveLimits } from './suggest-waves.ts';
import { strictest } from './wave-load.ts';

/** What people say of how large a wave may be; what is absent has no limit. */
export interface EnteredLimits {
  readonly machines?: number | undefined;
  readonly tib?: number | undefined;
  readonly vcpus?: number | undefined;
  readonly memoryGib?: number | undefined;
  readonly volumes?: number | undefined;
  readonly hours?: number | undefined;
  readonly bytesPerSecond?: number | undefined;
  readonly copies: WindowCopies['copies'];
  /** Of machines of which nothing was measured. */
  readonly change?: ChangeRate | undefined;
  readonly measured: readonly MeasuredChange[];
  /** Of the destination, where waves are to keep to them. */
  readonly quotas: readonly CatalogQuota[];
}

export function limitsOf({
  machines,
  tib,
  vcpus,
  memoryGib,
  volumes,
  hours,
  bytesPerSecond,
  copies,
  change,
  measured,
  quotas,
}: EnteredLimits): Pick<WaveLimits, 'most' | 'windowBytes'> {
  const most = strictest(
    {
      machines,
      vcpus,
      volumes,
      bytes: tib === undefined ? undefined : tib * 1024 ** 4,
      memoryMb: memoryGib === undefined ? undefined : memoryGib * 1024,
      windowBytes: bytesWithin(hours, bytesPerSecond),
    },
    mostByQuotas(quotas),
  );
  const changes = changePerSecond(measured, change);
  return { most, windowBytes: (machine) => bytesInWindow(machine, { copies, hours: hours ?? 0, change: changes }) };
}
