import type { CatalogQuota } from '../model/catalog.ts';
import type { WaveLoad, WaveMost } from './wave-load.ts';

/** What is held against quotas. */
export type QuotaLoad = Pick<WaveLoad, 'machines' | 'vcpus' | 'memoryMb' | 'volumes' | 'bytes' | 'nics'>;

/** Kinds of quotas that VMs use up, and how many of a load's units make one of the quota's. Others, e.g. of floating addresses, say nothing of a wave. */
const kinds = {
  servers: { load: 'machines', unit: 1 },
  vcpus: { load: 'vcpus', unit: 1 },
  memory_mb: { load: 'memoryMb', unit: 1 },
  volumes: { load: 'volumes', unit: 1 },
  volume_gb: { load: 'bytes', unit: 1024 ** 3 },
  nics: { load: 'nics', unit: 1 },
} as const satisfies Readonly<
  Partial<Record<CatalogQuota['kind'], { readonly load: keyof QuotaLoad; readonly unit: number }>>
>;
export type UsedQuota = keyof typeof kinds;

function isUsed(kind: CatalogQuota['kind']): kind is UsedQuota {
  return Object.hasOwn(kinds, kind);
}

/** Quotas that VMs use up, without those that have no limit. */
export function usedQuotas(
  quotas: readonly CatalogQuota[],
): readonly (CatalogQuota & { readonly kind: UsedQuota; readonly free: number })[] {
  return quotas.flatMap(({ kind, limit, usage, ...rest }) =>
    isUsed(kind) && limit >= 0 ? [{ ...rest, kind, limit, usage, free: Math.max(0, limit - usage) }] : [],
  );
}

/** What a load takes of a quota, in the quota's unit; not rounded. */
export function amountOf(kind: UsedQuota, load: QuotaLoad): number {
  return load[kinds[kind].load] / kinds[kind].unit;
}

/** What quotas leave free, as limits of a wave. Where nothing is free, no smaller wave would help: that is no limit, and `shortQuotas` says so. */
export function mostByQuotas(quotas: readonly CatalogQuota[]): WaveMost {
  return Object.fromEntries(
    usedQuotas(quotas).flatMap(({ kind, free }) => (free === 0 ? [] : [[kinds[kind].load, free * kinds[kind].unit]])),
  );
}

export interface ShortQuota {
  readonly kind: CatalogQuota['kind'];
  readonly needed: number;
  readonly free: number;
}

/** Quotas that are too small for all of that together. */
export function shortQuotas(load: QuotaLoad, quotas: readonly CatalogQuota[]): ShortQuota[] {
  return usedQuotas(quotas).flatMap(({ kind, free }) => {
    const needed = Math.ceil(amountOf(kind, load));
    return needed > free ? [{ kind, needed, free }] : [];
  });
}
