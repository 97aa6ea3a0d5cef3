import type { CatalogQuota } from '../../../shared/model/catalog.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';

/** How much of what will be created, by the cloud's names for its quotas and in their own units. */
export type QuotaNeeds = Readonly<Record<string, number>>;

/** What a project may have and has. A negative limit means none. */
export type Quotas = Readonly<Record<string, { readonly limit: number; readonly usage: number } | undefined>>;

export interface Shortage {
  readonly quota: string;
  readonly needed: number;
  readonly free: number;
  readonly limit: number;
}

/** What is short, all of it. */
export function shortages(needs: QuotaNeeds, quotas: Quotas): readonly Shortage[] {
  const short: Shortage[] = [];
  for (const [name, needed] of Object.entries(needs)) {
    const quota = quotas[name];
    if (quota === undefined || quota.limit < 0 || needed === 0) continue;
    const free = Math.max(0, quota.limit - quota.usage);
    if (needed > free) short.push({ quota: name, needed, free, limit: quota.limit });
  }
  return short;
}

export function addNeeds(...all: readonly QuotaNeeds[]): QuotaNeeds {
  const sum: Record<string, number> = {};
  for (const needs of all) for (const [name, amount] of Object.entries(needs)) sum[name] = (sum[name] ?? 0) + amount;
  return sum;
}

/** The quotas' names in words; others are shown by their own name. */
export type QuotaWords = Readonly<Record<string, string>>;

export function shortageText(shortage: Shortage, words: QuotaWords): string {
  return `${words[shortage.quota] ?? shortage.quota}: ${shortage.needed} needed, ${shortage.free} of ${shortage.limit} free`;
}

/** @throws `cloud.quota-exceeded` listing everything that is short. */
export function requireQuota(needs: QuotaNeeds, quotas: Quotas, words: QuotaWords): void {
  const short = shortages(needs, quotas);
  if (short.length === 0) return;
  throw new CausewayError('cloud.quota-exceeded', short.map((each) => shortageText(each, words)).join('; '), {
    details: { shortages: short.map((each) => ({ ...each })) },
  });
}

/** The quotas that a catalog keeps, by the words that all clouds share. @param names those of the cloud */
export function catalogQuotas(quotas: Quotas, names: Readonly<Record<string, CatalogQuota['kind']>>): CatalogQuota[] {
  return Object.entries(names).flatMap(([name, kind]) => {
    const quota = quotas[name];
    return quota === undefined ? [] : [{ kind, limit: quota.limit, usage: quota.usage }];
  });
}
