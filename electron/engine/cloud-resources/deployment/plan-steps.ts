import type { z } from 'zod';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { PluginId } from '../../../../shared/model/plugin-id.ts';
import type { Nic } from '../../../../shared/model/vm.ts';
import type { Finding } from '../../../../shared/schema/finding.ts';
import type { DeploymentPlan, DeploymentRun } from '../../ports/deployment-platform.ts';
import { checkFixedAddresses, type AddressBook } from '../fixed-addresses.ts';
import { reportInto } from '../environment-checks.ts';
import { deploymentKey } from './deployment-keys.ts';

/** What a platform keeps in its plan. @throws `general.bug` when the plan is not one of this platform */
export function readPlanState<S extends z.ZodType>(schema: S, plan: DeploymentPlan): z.infer<S> {
  const parsed = schema.safeParse(plan.state);
  if (!parsed.success) throw new CausewayError('general.bug', `deployment plan: ${parsed.error.message}`);
  return parsed.data;
}

/** A deployment that resumes after a crash has used its quotas already and finds its own resources. */
export function hasStarted(run: DeploymentRun): boolean {
  return run.ledger.list({ lifetime: 'deployment' }).some((entry) => entry.key.startsWith(deploymentKey(run, '')));
}

/** The name of the network that a NIC is mapped to. @throws `cloud.parameter-missing` */
export function mappedName(networkMap: Readonly<Record<string, string>>, nic: Nic): string {
  const wanted = networkMap[nic.network];
  if (wanted !== undefined) return wanted;
  throw new CausewayError(
    'cloud.parameter-missing',
    `network_map has no entry for "${nic.network}", the network of NIC ${nic.id}`,
    {
      details: { parameter: 'network_map', network: nic.network },
    },
  );
}

/**
 * Refuses fixed addresses that can't be kept, and notes what else there is to say about them.
 *
 * @throws `cloud.address-out-of-range`
 */
export async function refuseFixedAddresses(
  plugin: PluginId,
  book: AddressBook,
  run: DeploymentRun,
  signal: AbortSignal,
): Promise<void> {
  const findings: Finding[] = [];
  await checkFixedAddresses(book, run.vm, signal, reportInto(plugin, findings));
  const started = hasStarted(run);
  // A resumed deployment finds its own NIC at the address.
  const errors = findings.filter(
    (each) => each.severity === 'error' && !(started && each.rule.endsWith('address-taken')),
  );
  if (errors.length > 0)
    throw new CausewayError('cloud.address-out-of-range', errors.map((each) => each.message).join('; '), {
      details: { problems: errors.map((each) => each.message) },
    });
  for (const each of findings) if (each.severity !== 'error') run.note(each.message);
}
