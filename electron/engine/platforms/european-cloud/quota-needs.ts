import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Quotas } from './iaas/quotas.ts';

/** How much of what will be created, in the quotas' own units (gigabytes: GiB, ram: MiB). */
export type QuotaNeeds = Readonly<Partial<Record<
  'volumes' | 'gigabytes' | 'vcpu' | 'ram' | 'nics' | 'publicIps' | 'securityGroups' | 'securityGroupRules' | 'snapshots', number>>>;

export interface Shortage {
  readonly quota: string;
  readonly needed: number;
  readonly free: number;
  readonly limit: number;
}

/** What is short, all of it. A negative limit means none. */
export function shortages(needs: QuotaNeeds, quotas: Quotas): readonly Shortage[] {
  const short: Shortage[] = [];
  for (const [name, needed] of Object.entries(needs)) {
    const quota = quotas[name as keyof QuotaNeeds];
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

const quotaWords: Readonly<Record<string, string>> = {
  volumes: 'volumes', gigabytes: 'GiB of volumes', vcpu: 'vCPUs', ram: 'MiB of memory', nics: 'NICs', publicIps: 'public IPs',
  securityGroups: 'security groups', securityGroupRules: 'security group rules', snapshots: 'snapshots',
};

export function shortageText(shortage: Shortage): string {
  return `${quotaWords[shortage.quota] ?? shortage.quota}: ${shortage.needed} needed, ${shortage.free} of ${shortage.limit} free`;
}

/** @throws `cloud.quota-exceeded` listing everything that is short. */
export function requireQuota(needs: QuotaNeeds, quotas: Quotas): void {
  const short = shortages(needs, quotas);
  if (short.length === 0) return;
  throw new CausewayError('cloud.quota-exceeded', short.map(shortageText).join('; '), {
    details: { shortages: short.map((each) => ({ ...each })) },
  });
}
