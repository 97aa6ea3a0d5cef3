import { expect, test } from 'vitest';
import { EnvironmentDraft } from './environment-draft.ts';
import { takeText, textOf } from './text-view.tsx';

const context = {
  weaker: { source: {}, destination: {} },
  providerConfiguration: new Map(),
  vm: undefined,
  catalog: undefined,
};
const draftWith = (environment: object) =>
  new EnvironmentDraft(
    'VM',
    {
      source: { plugin: 'disk-images', layer: { environment: {} } },
      destination: { plugin: 'european-cloud', layer: { environment: environment as never } },
    },
    context,
  );

test('a layer written as text and taken back is the same, whatever its keys are called', () => {
  const environment = {
    network_map: { 'a.b[0]': 'x', '"q" # no: comment': 'y', '\u{1F680}\n': 'z', '123': 'n' },
    server_labels: ['a', 'true'],
    other: null,
  };
  const draft = draftWith(environment);
  const other = draftWith({ disk_bus: 'scsi' });
  expect(takeText(other, textOf(draft).content)).toEqual([]);
  expect(other.layer('destination')).toEqual({ environment });
});

test("a text that is not for these platforms, or can't be read, changes nothing and is told at its place", () => {
  const draft = draftWith({ disk_bus: 'scsi' });
  expect(takeText(draft, 'source:\n  plugin: qemu-hypervisor\n')).toMatchObject([
    { path: '/source/plugin', location: { line: 2, column: 3 } },
  ]);
  expect(takeText(draft, 'destination: [1]')).toMatchObject([{ path: '/destination' }]);
  expect(takeText(draft, 'destination: {')).toHaveLength(1);
  expect(takeText(draft, 'web: 1\n')).toMatchObject([{ path: '/web', location: { line: 1 } }]);
  expect(takeText(draft, '- a')).toHaveLength(1);
  expect(draft.layer('destination')).toEqual({ environment: { disk_bus: 'scsi' } });
});

test('JSON is taken too, and what the text leaves out is inherited again', () => {
  const draft = draftWith({ disk_bus: 'scsi' });
  expect(takeText(draft, '{"vm": {}, "destination": {"environment": {"set_dhcp": false}}}')).toEqual([]);
  expect(draft.layer('destination')).toEqual({ environment: { set_dhcp: false } });
  expect(draft.field('destination', 'disk_bus').mode).toBe('inherit');
});
