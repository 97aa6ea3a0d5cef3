import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wallTimeAt } from '../../../../shared/model/wall-time.ts';
import { FakeClock } from '../../time/testing/fake-clock.ts';
import { createCore } from '../core.ts';
import { MemoryLab } from '../testing/memory-lab.ts';

test('the calendar starts no rehearsal without an isolated network, and says why', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-calendar-'));
  const clock = new FakeClock(new Date('2026-11-28T10:00:30Z'));
  const lab = new MemoryLab();
  const core = createCore({
    projectFolder: folder,
    vault: lab.vault(),
    platforms: lab.platforms,
    connectWorker: lab.connectWorker,
    clock,
  });
  try {
    const { date, time } = wallTimeAt(clock.wallTime() + 60_000, 'UTC');
    await core.call('wave.create', {
      wave: 'first',
      plan: { window: { date, time, zone: 'UTC', hours: 1 }, startsWith: 'rehearse' },
    });
    const told = Promise.withResolvers<string>();
    core.subscribe(
      'execution.event',
      ({ type, message }) => type === 'wave.state' && message.includes('was skipped') && told.resolve(message),
    );
    core.carryOutCalendar();
    await clock.pass(1);
    for (let look = 0; look < 4; look += 1) {
      await new Promise(setImmediate);
      await clock.pass(30_000);
    }
    expect(await told.promise).toMatch(/^wave first: the start of 2026-11-28T10:01:00\.000Z was skipped/);
    expect(await core.call('wave.show', { wave: 'first' })).not.toHaveProperty('run');
  } finally {
    await core.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
