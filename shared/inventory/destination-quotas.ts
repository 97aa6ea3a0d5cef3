import type { CatalogQuota } from '../model/catalog.ts';
import type { WaveLoad, WaveMost } from './wave-load.ts';

const kinds: Readonly<Partial<Record<CatalogQuota['kind'], { readonly load: keyof WaveLoad; readonly unit: number }>>> = {
  servers: { load: 'machines', unit: 1 }, vcpus: { load: 'vcpus', unit: 1 }, memory_mb: { load: 'memoryMb', unit: 1 },
  volumes: { load: 'volumes', unit: 1 }, volume_gb: { load: 'bytes', unit: 1024 ** 3 }, nics: { load: 'nics', unit: 1 },
};

/** What quotas leave free, as limits of a wave. Where nothing is free, no smaller wave would help: that is no limit, and `shortQuotas` says so. */
export function mostByQuotas(quotas: readonly CatalogQuota[]): WaveMost {
  return Object.fromEntries(quotas.flatMap(({ kind, limit, usage }) => {
    const known = kinds[kind];
    return known === undefined || limit < 0 || limit <= usage ? [] : [[known.load, (limit - usage) * known.unit]];
  }));
}

export interface ShortQuota {
  readonly kind: CatalogQuota['kind'];
  readonly needed: number;
  readonly free: number;
}

/** Quotas that are too small for all of that together. */
export function shortQuotas(load: WaveLoad, quotas: readonly CatalogQuota[]): ShortQuota[] {
  return quotas.flatMap(({ kind, limit, usage }) => {
    const known = kinds[kind];
    if (known === undefined || limit < 0) return [];
    const [needed, free] = [Math.ceil(load[known.load] / known.unit), Math.max(0, limit - usage)];
    return needed > free ? [{ kind, needed, free }] : [];
  });
}
