import { describe, expect, test } from 'vitest';
import { parseProfile } from '../../../shared/model/bandwidth-profile.ts';
import { bandwidthText, rateNow, readBandwidth, weekOf } from './bandwidth.ts';

describe('a bandwidth limit as it is written', () => {
  test.each([
    ['', {}],
    ['unlimited', {}],
    ['20M', { bandwidthLimit: 20_000_000 }],
    ['0', { bandwidthLimit: 0 }],
    ['pause', { bandwidthLimit: 0 }],
    [' mon-fri 08:00-18:00=20M; *=unlimited ', { bandwidthProfile: 'mon-fri 08:00-18:00=20M; *=unlimited' }],
  ])('%j means %j', (written, options) => {
    expect(readBandwidth(written)).toMatchObject({ options });
  });

  test.each([
    ['much', "'much' is not a rate"],
    ['mo=1M', "'mo' is not a day"],
    ['08:00-08:00=1M', 'is empty'],
  ])('%j is refused with the reason', (written, reason) => {
    expect(readBandwidth(written)).toMatchObject({ error: expect.stringContaining(reason) as string });
  });

  test('is written back as it was', () => {
    expect(
      ['20M', 'pause', 'sat=1M; *=pause', ''].map((written) => {
        const read = readBandwidth(written);
        return 'options' in read ? bandwidthText(read.options) : read.error;
      }),
    ).toEqual(['20M', 'pause', 'sat=1M; *=pause', '']);
  });

  test('says what holds at a moment, and in a week', () => {
    expect(rateNow({ bandwidthProfile: '08:00-18:00=1M' }, new Date(2024, 0, 1, 9))).toBe(1_000_000);
    expect(rateNow({}, new Date())).toBeUndefined();
    const week = weekOf(parseProfile('sat,sun=unlimited; 08:00-18:00=pause'));
    expect(week[0]).toEqual([
      { from: 0, until: 480, rate: undefined },
      { from: 480, until: 1080, rate: 0 },
      { from: 1080, until: 1440, rate: undefined },
    ]);
    expect(week[5]).toEqual([{ from: 0, until: 1440, rate: undefined }]);
  });
});
