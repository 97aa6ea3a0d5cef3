import type { NetworkInterface } from '@azure/arm-network';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import { deploymentIntent } from '../../../../cloud-resources/deployment/deployment-keys.ts';
import { resourceTags } from '../../../../cloud-resources/ledgered-resource.ts';
import type { DeployedNic, DeploymentPlan, DeploymentRun } from '../../../../ports/deployment-platform.ts';
import type { LedgerEntry } from '../../../../ports/ledger.ts';
import { readEnvironment } from '../environment.ts';
import { nicCalls, publicIpCalls } from '../network-calls.ts';
import { placeOf, type AzureSession } from '../session.ts';
import { ensureNetworkResource } from '../start-worker.ts';
import { planState } from './plan-deployment.ts';

/** One interface for each of the source, in their order. Its MAC address is assigned when a VM with it starts for the first time. */
export async function createNics(
  session: AzureSession,
  run: DeploymentRun,
  plan: DeploymentPlan,
  signal: AbortSignal,
): Promise<readonly DeployedNic[]> {
  const place = placeOf(session, readEnvironment(run.environment));
  const { nics: planned, securityGroupId } = planState(plan);
  const details = { resourceGroup: place.group, location: place.location };
  const publicIpId =
    session.connection.usePublicIp && planned.length > 0
      ? (await ensurePublicIp(session, run, plan, signal)).id
      : undefined;
  const nics: DeployedNic[] = [];
  for (const [index, each] of planned.entries()) {
    const wish = (entry: LedgerEntry): NetworkInterface => ({
      location: place.location,
      tags: { ...session.connection.tags, ...resourceTags(run, entry) },
      ...(securityGroupId === undefined ? {} : { networkSecurityGroup: { id: securityGroupId } }),
      ipConfigurations: [
        {
          name: 'primary',
          primary: true,
          subnet: { id: each.subnetId },
          privateIPAddressVersion: 'IPv4',
          ...(each.address === undefined
            ? { privateIPAllocationMethod: 'Dynamic' }
            : { privateIPAllocationMethod: 'Static', privateIPAddress: each.address }),
          ...(index === 0 && publicIpId !== undefined ? { publicIPAddress: { id: publicIpId } } : {}),
        },
      ],
    });
    const { id, record } = await ensureNetworkResource(
      { session, run, place },
      deploymentIntent(run, 'nic', `nic/${each.sourceNicId}`, details),
      nicCalls(session),
      wish,
      signal,
    );
    nics.push({
      id,
      sourceNicId: each.sourceNicId,
      networkId: each.subnetId,
      ipAddress: record.ipConfigurations?.[0]?.privateIPAddress,
      prefixLength: each.prefix === undefined ? undefined : Number(each.prefix.split('/')[1]),
      gateway: each.gateway,
    });
  }
  return nics;
}

/** The public address of a migrated VM's first interface, where the endpoint wants one. */
export async function ensurePublicIp(
  session: AzureSession,
  run: DeploymentRun,
  plan: DeploymentPlan,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly address: string }> {
  const place = placeOf(session, readEnvironment(run.environment));
  const { zone } = planState(plan);
  const intent = deploymentIntent(run, 'public-ip', 'public-ip', {
    resourceGroup: place.group,
    location: place.location,
  });
  const { id, record } = await ensureNetworkResource(
    { session, run, place },
    intent,
    publicIpCalls(session),
    (entry) => ({
      location: place.location,
      tags: { ...session.connection.tags, ...resourceTags(run, entry) },
      sku: { name: 'Standard' },
      publicIPAllocationMethod: 'Static',
      publicIPAddressVersion: 'IPv4',
      ...(zone === undefined ? {} : { zones: [zone] }),
    }),
    signal,
  );
  if (record.ipAddress === undefined)
    throw new CausewayError('cloud.unexpected-answer', `public IP ${id} has no address`);
  return { id, address: record.ipAddress };
}
