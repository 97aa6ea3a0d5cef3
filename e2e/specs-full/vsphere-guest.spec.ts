// lease: emulated guests
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGuestLab, type GuestLab } from '../rigs/virtualization-platform/guest-lab.ts';

const MiB = 2 ** 20;

let on: GuestLab;

beforeAll(async () => {
  on = await startGuestLab();
  await on.addEndpoint('vcenter');
});
afterAll(() => on?.close());

it('a running guest, presented as a VM of the virtualization platform, is replicated in full with tracking enabled first', async () => {
  const { lab, rig, vm } = on;
  await on.createReplica('guest', 'vcenter');
  expect(await lab.execute('guest', { verify: 'all' })).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect([vm.isTracked, vm.snapshots.size]).toEqual([true, 0]);
  expect(await lab.difference('guest', { 2001: on.dataDisk })).toBeUndefined();
  expect(rig.world.problems).toEqual([]);
});

it('the next execution sends what the guest has changed, although the VM has moved to another host and the session has ended', async () => {
  const { lab, rig, vm, guest } = on;
  await guest.ssh.text(`dd if=/dev/urandom of=${on.device} bs=64k count=32 seek=320 oflag=direct status=none; sync`);
  rig.world.expireSessions();
  rig.world.move(vm, [...rig.hosts.keys()].find((id) => id !== vm.hostId) ?? '');
  const execution = await lab.execute('guest');
  expect(execution).toMatchObject({ state: 'completed', leftBehind: 0 });
  const crossed = await on.sent(execution);
  expect(crossed['2001']).toBeGreaterThanOrEqual(2 * MiB);
  expect(crossed['2001']).toBeLessThanOrEqual(1.1 * 2 * MiB);
  expect(await lab.difference('guest', { 2001: on.dataDisk })).toBeUndefined();
  expect([vm.snapshots.size, rig.world.problems]).toEqual([0, []]);
});
