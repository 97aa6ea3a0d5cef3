import { expect, test } from 'vitest';
import type { WaveCause } from '../../../shared/model/wave.ts';
import { causeWords } from './cause-words.ts';

const cause = (more: Partial<WaveCause>): WaveCause => ({
  kind: 'finding',
  severity: 'error',
  message: 'As it was found.',
  replicas: [],
  ...more,
});

test('settings are named as in their forms', () => {
  expect(
    causeWords(cause({ code: 'european-cloud/missing-key', path: '/destination/environment/availability_zone' })),
  ).toBe('Availability zone is not set.');
  expect(
    causeWords(cause({ code: 'european-cloud/wrong-type', path: '/destination/environment/availability_zone/0' })),
  ).toBe('Availability zone: As it was found.');
});

test('what belongs to no setting stays as it is', () => {
  for (const more of [
    { code: 'european-cloud/missing-key', path: '/vm/nics' },
    { code: 'general/x', path: '' },
    { code: 'european-cloud/x', path: '/destination/environment/no_such_key' },
    { code: 'toString/x', path: '/destination/environment/a' },
  ]) {
    expect(causeWords(cause(more))).toBe('As it was found.');
  }
  expect(causeWords(cause({ kind: 'never-synchronised' }))).toBe('Never synchronised');
  expect(causeWords(cause({ kind: 'failed', code: 'no.such-code' }))).toBe('As it was found.');
  expect(causeWords(cause({ kind: 'failed', code: 'source.vm-not-found' }))).not.toBe('As it was found.');
});

test('a quota that is too small is named, with what is needed, what was free, and when', () => {
  const quota = { endpoint: 'cloud', quota: 'vcpus', needed: 12, free: 4 };
  expect(causeWords(cause({ kind: 'quota', code: 'vcpus', quota }))).toBe(
    'Quota too small: vCPUs at cloud, 12 needed, 4 free. As of the last catalog.',
  );
  expect(
    causeWords(cause({ kind: 'quota', code: 'vcpus', quota: { ...quota, at: '2026-11-27T10:00:00.000Z' } })),
  ).toMatch(/4 free\. As of .*2026/);
});

test('in another language, the rule is named in its words', () => {
  const translated = () => ({ title: 'Falscher Typ', cause: '', remedy: '' });
  expect(
    causeWords(
      cause({ code: 'european-cloud/wrong-type', path: '/destination/environment/availability_zone' }),
      translated,
    ),
  ).toBe('Availability zone: Falscher Typ');
  expect(causeWords(cause({ code: 'vm/no-disks', path: '/vm/disks' }), translated)).toBe('Falscher Typ');
  expect(causeWords(cause({ kind: 'plan', code: 'unknown' }), translated)).toBe('As it was found.');
  expect(causeWords(cause({ kind: 'plan', code: 'circular', names: ['web', 'db'] }), translated)).toBe(
    'These members wait for each other: web, db.',
  );
});
