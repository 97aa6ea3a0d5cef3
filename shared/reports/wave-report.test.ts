import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { EvidenceEntry } from '../model/evidence.ts';
import type { MachineLife } from '../model/machine-life.ts';
import { sealOf } from './seal.ts';
import { waveReport } from './wave-report.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const head = 'a'.repeat(64);
const life = (name: string, more: Partial<MachineLife>): MachineLife => ({
  replicaId: `rep-${name}`,
  replicaName: name,
  state: 'running-at-destination',
  next: 'none',
  history: [],
  ...more,
});
const entry = (n: number, name: string, kind: EvidenceEntry['kind'], data: EvidenceEntry['data']): EvidenceEntry => ({
  v: 1,
  n,
  at: '2026-11-28T23:00:00.000Z',
  kind,
  by: 'Anna',
  prev: head,
  replica: { id: `rep-${name}`, name },
  data,
});

test('the report of a wave tells of each VM what became of it, and is sealed', () => {
  const html = waveReport({
    wave: 'Night <1>',
    facts: [['Owner', 'Anna & Ben']],
    head,
    count: 5,
    sha256,
    lives: [
      life('db', {
        cutOver: {
          deploymentId: 'dep-1',
          state: 'completed',
          sourceStopped: true,
          downtime: { stoppedAt: '2026-11-28T22:00:00Z', endedAt: '2026-11-28T22:05:30Z', seconds: 330 },
        },
        approval: { by: 'Carl', at: '', isCurrent: true },
      }),
      life('web', { state: 'rolled-back' }),
    ],
    entries: [
      entry(1, 'db', 'deployment', {
        deployment: 'dep-1',
        number: 1,
        state: 'completed',
        checks: [
          { name: 'a', outcome: 'passed' },
          { name: 'b', outcome: 'warned' },
        ],
        deviations: ['No rehearsal had passed before the cut-over.'],
      }),
      entry(2, 'db', 'report', { sha256: 'f00d' }),
    ],
  });
  const seal = sealOf(html);
  expect([seal?.head, seal?.sha256]).toEqual([head, sha256(seal?.sealed ?? '')]);
  for (const text of [
    'Night &lt;1&gt;',
    'Anna &amp; Ben',
    '1 of 2 VMs run at the destination',
    '5 min 30 s',
    '1 of 2',
    'Carl',
    'f00d',
    'No rehearsal had passed',
    'none defined',
  ])
    expect(html).toContain(text);
  expect(html).not.toMatch(/<script|src=|https?:\/\//);
});
