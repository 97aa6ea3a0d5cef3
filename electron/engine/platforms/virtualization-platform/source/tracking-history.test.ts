import { expect, test } from 'vitest';
import type { Snapshot } from '../../../ports/source-platform.ts';
import { childrenOf, parseXml } from '../client/xml.ts';
import type { VmState } from './inventory.ts';
import type { SourceContext } from './source-context.ts';
import { trackingGap } from './tracking-history.ts';

const signal = new AbortController().signal;
const takenAt = '2026-01-02T00:00:00Z';
const base = (state: Snapshot['state'] = { creationTask: 'task-7', wasRunning: true }): Snapshot => ({
  id: 's',
  tag: 'base',
  vmId: 'vm-1',
  takenAt,
  disks: [],
  state,
});
const running = {
  vm: { type: 'VirtualMachine', id: 'vm-1' },
  host: { type: 'HostSystem', id: 'host-1' },
  power: 'running',
  bootTime: '2026-01-01T00:00:00Z',
} as VmState;
const restarted: VmState = { ...running, bootTime: '2026-01-03T00:00:00Z' };
const off: VmState = { ...running, power: 'stopped', bootTime: undefined };

const event = (type: string, members = ''): string => `<returnval xsi:type="${type}">KEY${members}</returnval>`;
const created = event(
  'TaskEvent',
  '<info><key>task-7</key><descriptionId>VirtualMachine.createSnapshot</descriptionId></info>',
);
const revert = event('TaskEvent', '<info><key>task-9</key><descriptionId>vm.Snapshot.revert</descriptionId></info>');
const onHost = (type: string, host: string): string =>
  event(type, `<host><host type="HostSystem">${host}</host></host>`);
const extended = (id: string): string => event('EventEx', `<eventTypeId>${id}</eventTypeId>`);

/** A server with a history of each object. */
function gapWith(
  history: Readonly<Record<string, readonly string[]>>,
  state: VmState = running,
  of: Snapshot = base(),
  hasManager = true,
) {
  const asked: string[] = [];
  const session = {
    content: async () => ({ find: () => (hasManager ? { type: 'EventManager', id: 'EventManager' } : undefined) }),
    call: async (_method: string, _target: unknown, [filter = '']: readonly string[]) => {
      const id = /<entity type="\w+">([\w-]+)</.exec(filter)?.[1] ?? '';
      asked.push(id);
      const events = (history[id] ?? []).map((text, index) => text.replace('KEY', `<key>${index + 1}</key>`));
      // Not in their order: nothing promises that.
      return childrenOf(parseXml(`<a xmlns:xsi="i">${events.toReversed().join('')}</a>`), 'returnval');
    },
  };
  return { asked, gap: trackingGap({ session } as unknown as SourceContext, state, of, signal) };
}
const gapOf = (own: readonly string[], state?: VmState, of?: Snapshot) => gapWith({ 'vm-1': own }, state, of).gap;

test('a history is trusted only when it reaches back to the task that took the snapshot of the base', async () => {
  const incomplete = 'its history since the last execution is incomplete';
  expect(await gapOf([created])).toBeUndefined();
  expect(await gapOf([])).toBe(incomplete);
  expect(await gapOf([event('VmMigratedEvent')])).toBe(incomplete);
  // A snapshot that somebody else has taken since proves nothing.
  expect(await gapOf([created.replace('task-7', 'task-8')])).toBe(incomplete);
  expect(await gapOf([created], running, base({ wasRunning: true }))).toBe(incomplete);
  expect(await gapWith({ 'vm-1': [created] }, running, base(), false).gap).toBe('the server keeps no history');
});

test('what happened before the base does not count, what happened after it does', async () => {
  expect(await gapOf([revert, event('VmRelocatedEvent'), created])).toBeUndefined();
  expect(await gapOf([created, revert])).toBe('it was reverted to a snapshot');
  expect(await gapOf([created, event('VmRelocatedEvent')])).toBe('its disks were moved to other storage');
});

test('a start needs an end of the run before it', async () => {
  const [starting, on, off1, asked] = [
    'VmStartingEvent',
    'VmPoweredOnEvent',
    'VmPoweredOffEvent',
    'VmGuestShutdownEvent',
  ].map((type) => event(type));
  const lost = 'it was started without having been shut down: it lost power';
  expect(await gapOf([created, starting ?? '', on ?? ''], restarted)).toBe(lost);
  expect(await gapOf([created, on ?? ''], restarted)).toBe(lost);
  expect(await gapOf([created, asked ?? '', off1 ?? '', starting ?? '', on ?? ''], restarted)).toBeUndefined();
  expect(await gapOf([created, asked ?? '', off1 ?? '', on ?? '', on ?? ''], restarted)).toBe(lost);
  expect(
    await gapOf([created, starting ?? '', on ?? ''], restarted, base({ creationTask: 'task-7', wasRunning: false })),
  ).toBeUndefined();
  expect(await gapOf([created], restarted)).toBe('it was started, and its history does not say when it stopped');
});

test('a VM that is off was shut down, or it lost power', async () => {
  expect(await gapOf([created], off)).toBe('it is off without having been shut down: it lost power');
  expect(await gapOf([created, event('VmGuestShutdownEvent')], off)).toBeUndefined();
  expect(await gapOf([created], off, base({ creationTask: 'task-7', wasRunning: false }))).toBeUndefined();
});

test('an end that nobody asked for is checked with all hosts that the VM was on, by types and by ids of events', async () => {
  const own = [created, onHost('VmPoweredOffEvent', 'host-2')];
  const clean = gapWith({ 'vm-1': own }, off);
  expect(await clean.gap).toBeUndefined();
  expect(clean.asked).toEqual(['vm-1', 'host-1', 'host-2']);
  const lost = 'its host lost its connection or power';
  expect(await gapWith({ 'vm-1': own, 'host-2': [event('HostConnectionLostEvent')] }, off).gap).toBe(lost);
  expect(
    await gapWith({ 'vm-1': own, 'host-1': [extended('esx.audit.host.poweroff.reason.unavailable')] }, off).gap,
  ).toBe(lost);
  expect(
    await gapWith({ 'vm-1': own, 'host-1': [extended('esx.audit.net.firewall.changed')] }, off).gap,
  ).toBeUndefined();
});
