import type { ApiError } from './api-error.ts';
import type { Quotas } from './records.ts';
import type { World } from './world.ts';

/** Throws by `error` when the project would have more than its quotas allow. */
export function demandQuota(world: World, more: Partial<Quotas>, error: (message: string) => ApiError): void {
  const usage = world.usage();
  for (const [name, amount] of Object.entries(more) as [keyof Quotas, number][]) {
    const limit = world.setup.quotas[name];
    if (usage[name] + amount > limit) {
      throw error(`quota exceeded for ${name}: limit ${limit}, in use ${usage[name]}, requested ${amount}`);
    }
  }
}
