import type { CallName } from '../../../../shared/contract/contract.ts';
import { dashboardCalls } from './dashboard.ts';
import { defaultsCalls } from './defaults.ts';
import { deploymentCalls } from './deployments.ts';
import { endpointCalls } from './endpoints.ts';
import { executionCalls, queueCalls } from './executions.ts';
import { fleetCalls } from './fleet.ts';
import { guestCalls } from './guests.ts';
import type { Handlers } from '../core-context.ts';
import { inventoryCalls } from './inventory.ts';
import { evidenceCalls, machineLifeCalls } from './life.ts';
import { ledgerCalls } from './ledger.ts';
import { notificationCalls } from './notifications.ts';
import { platformCalls, pluginCalls } from './platforms.ts';
import { projectCalls, trustCalls, vaultCalls } from './project.ts';
import { replicaCalls } from './replicas.ts';
import { waveCalls } from './waves.ts';
import { workerCalls } from './workers.ts';

/** What carries out each call of the contract; one that is missing does not compile. */
export const handlers: Handlers<CallName> = {
  ...pluginCalls,
  ...endpointCalls,
  ...platformCalls,
  ...replicaCalls,
  ...defaultsCalls,
  ...waveCalls,
  ...dashboardCalls,
  ...executionCalls,
  ...deploymentCalls,
  ...guestCalls,
  ...projectCalls,
  ...fleetCalls,
  ...queueCalls,
  ...workerCalls,
  ...inventoryCalls,
  ...machineLifeCalls,
  ...evidenceCalls,
  ...notificationCalls,
  ...ledgerCalls,
  ...trustCalls,
  ...vaultCalls,
};
