import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { vsphereHarness, type VsphereHarness } from '../rigs/virtualization-platform/source-harness.ts';

const signal = new AbortController().signal;

describe('what the virtualization platform and a ledger list', () => {
  let lab: VsphereHarness;
  beforeEach(async () => {
    lab = await vsphereHarness();
  });
  afterEach(() => lab.close());

  it('lists tags in a session of their own, which ends; without the service, VMs are listed all the same', async () => {
    await lab.rig.tag([lab.vm], 'Environment', 'production');
    expect((await lab.platform.listVms(signal)).filter(({ tags }) => tags !== undefined).map(({ id, tags }) => [id, tags])).toEqual([[lab.vmId, ['Environment: production']]]);
    expect(lab.rig.openTagSessions()).toBe(0);
    expect((await lab.platform.check(signal)).steps.find(({ name }) => name === 'Read tags')).toMatchObject({ outcome: 'passed', evidence: expect.stringMatching(/^1 of/) as string });
    lab.rig.faults.add({ operation: 'unknown', nth: 1, times: 1000, effect: '503' });
    expect((await lab.platform.listVms(signal)).every(({ tags }) => tags === undefined)).toBe(true);
    lab.rig.faults.clear();
  });
});
