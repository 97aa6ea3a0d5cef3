import type { CallName } from '../../../../shared/contract/contract.ts';
import { defaultsCalls } from './defaults.ts';
import { deploymentCalls } from './deployments.ts';
import { endpointCalls } from './endpoints.ts';
import { executionCalls } from './executions.ts';
import type { Handlers } from './handler.ts';
import { inventoryCalls } from './inventory.ts';
import { ledgerCalls } from './ledger.ts';
import { platformCalls } from './platforms.ts';
import { pluginCalls } from './plugins.ts';
import { projectCalls } from './project.ts';
import { queueCalls } from './queue.ts';
import { replicaCalls } from './replicas.ts';
import { trustCalls } from './trust.ts';
import { vaultCalls } from './vault.ts';

/** What carries out each call of the contract; one that is missing does not compile. */
export const handlers: Handlers<CallName> = {
  ...pluginCalls,
  ...endpointCalls,
  ...platformCalls,
  ...replicaCalls,
  ...defaultsCalls,
  ...executionCalls,
  ...deploymentCalls,
  ...projectCalls,
  ...queueCalls,
  ...inventoryCalls,
  ...ledgerCalls,
  ...trustCalls,
  ...vaultCalls,
};
