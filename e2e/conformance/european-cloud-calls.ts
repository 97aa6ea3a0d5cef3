import type { FaultEffect } from '../rigs/cloud-kit/faults.ts';
import { startEuropeanCloud, type EuropeanCloud, type EuropeanCloudOptions } from '../rigs/european-cloud/start.ts';
import { callFaults, type CallFault, type PlatformCalls } from './platform-calls.ts';

const effects: Readonly<Record<CallFault, FaultEffect>> = {
  'refused-for-now': '500',
  throttled: '429',
  'cut-before': 'connection-reset',
  'gateway-error-after': '502-after',
  'cut-after': 'connection-reset-after',
  'never-answered': 'no-answer',
  'fails-later': 'status-error',
};
const forever = 1_000_000;

/** The simulated European cloud, with its calls as the conformance suites want them. */
export async function startEuropeanCloudWithCalls(options: EuropeanCloudOptions = {}): Promise<{ readonly cloud: EuropeanCloud; readonly calls: PlatformCalls }> {
  let onCutCall: { readonly from: number; readonly tell: () => void } | undefined;
  const cloud = await startEuropeanCloud({
    transitionMs: 3, ...options,
    onCall: () => {
      if (onCutCall !== undefined && cloud.calls.length >= onCutCall.from) onCutCall.tell();
    },
  });
  const calls: PlatformCalls = {
    faults: callFaults,
    callCount: () => cloud.calls.length,
    callName: (number) => cloud.calls[number - 1]?.operation ?? 'none',
    callChanges: (number) => cloud.calls[number - 1]?.method !== 'GET',
    failCall: (n, fault) => cloud.faults.add({ operation: '*', nth: n, effect: effects[fault] }),
    cutOff(n, when, tell) {
      onCutCall = { from: cloud.calls.length + n, tell };
      if (when === 'after') cloud.faults.add({ operation: '*', nth: n, effect: 'connection-reset-after' });
      cloud.faults.add({ operation: '*', nth: when === 'after' ? n + 1 : n, times: forever, effect: 'connection-reset' });
    },
    clearFaults() {
      onCutCall = undefined;
      cloud.faults.clear();
    },
  };
  return { cloud, calls };
}

/** What an endpoint's form takes. */
export function europeanCloudConnection(cloud: EuropeanCloud, serviceAccountKey: object = cloud.serviceAccountKey): object {
  return {
    project_id: cloud.projectId,
    region_name: cloud.region.toUpperCase(),
    service_account_key: Buffer.from(JSON.stringify(serviceAccountKey)).toString('base64'),
    iaas_url: cloud.urls.iaas,
  };
}
