import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerEntry, LedgerScope } from '../../electron/engine/ports/ledger.ts';
import type { Snapshot } from '../../electron/engine/ports/source-platform.ts';
import { vsphereHarness, type VsphereHarness } from '../rigs/virtualization-platform/source-harness.ts';

const signal = new AbortController().signal;

describe('what the virtualization platform and a ledger list', () => {
  let lab: VsphereHarness;
  let tags = 0;
  beforeEach(async () => {
    lab = await vsphereHarness();
  });
  afterEach(() => lab.close());

  const snapshot = (): Promise<Snapshot> =>
    lab.platform.createSnapshot({ vmId: lab.vmId, tag: `tag-${(tags += 1)}`, environment: {} }, signal);

  it('lists tags in a session of their own, which ends; without the service, VMs are listed all the same', async () => {
    await lab.rig.tag([lab.vm], 'Environment', 'production');
    expect(
      (await lab.platform.listVms(signal)).filter(({ tags }) => tags !== undefined).map(({ id, tags }) => [id, tags]),
    ).toEqual([[lab.vmId, ['Environment: production']]]);
    expect(lab.rig.openTagSessions()).toBe(0);
    expect((await lab.platform.check(signal)).steps.find(({ name }) => name === 'Read tags')).toMatchObject({
      outcome: 'passed',
      evidence: expect.stringMatching(/^1 of/) as string,
    });
    lab.rig.faults.add({ operation: 'unknown', nth: 1, times: 1000, effect: '503' });
    expect((await lab.platform.listVms(signal)).every(({ tags }) => tags === undefined)).toBe(true);
    lab.rig.faults.clear();
  });

  it('finds and removes the snapshots that a ledger has on record, by id or, for a mere intent, by VM and tag; what is gone is done', async () => {
    const taken = await snapshot();
    const details = { vmId: lab.vmId, tag: taken.tag };
    const entry = (more: Partial<LedgerEntry>): LedgerEntry => ({
      entryId: 'e',
      endpointId: 'end-1',
      kind: 'source-snapshot',
      key: 'k',
      name: taken.tag,
      lifetime: 'temporary',
      state: 'existing',
      details,
      createdAt: taken.takenAt,
      ...more,
    });
    const removed: string[] = [];
    const ledger = {
      async release(of: LedgerEntry, { findId, remove }: Parameters<LedgerScope['release']>[1], within: AbortSignal) {
        const id = of.resourceId ?? (await findId(of, within));
        if (id === undefined) return;
        await remove(id, of, within);
        removed.push(id);
      },
    } as unknown as LedgerScope;
    const listed = await lab.platform.listManaged?.(signal);
    expect(listed).toMatchObject([{ kind: 'source-snapshot', id: taken.id, details }]);
    expect((await lab.platform.findResource?.(entry({ resourceId: taken.id }), signal))?.id).toBe(taken.id);
    expect((await lab.platform.findResource?.(entry({}), signal))?.id).toBe(taken.id);
    expect(
      await lab.platform.findResource?.(entry({ details: { ...details, tag: 'another' } }), signal),
    ).toBeUndefined();
    await lab.platform.removeResource?.(entry({ details: { ...details, tag: 'another' } }), ledger, signal);
    expect(await lab.leftovers()).toHaveLength(1);
    await lab.platform.removeResource?.(entry({}), ledger, signal);
    expect([removed, await lab.leftovers()]).toEqual([[taken.id], []]);
    expect(await lab.platform.findResource?.(entry({ resourceId: taken.id }), signal)).toBeUndefined();
    await lab.platform.removeResource?.(entry({ resourceId: taken.id }), ledger, signal);
    expect(lab.rig.calls.filter(({ operation }) => operation === 'RemoveSnapshot_Task')).toHaveLength(1);
    const again = await snapshot();
    await lab.platform.removeResource?.(
      entry({ resourceId: again.id, details: { vmId: lab.vmId, tag: again.tag } }),
      ledger,
      signal,
    );
    expect(await lab.leftovers()).toEqual([]);
  });
});
