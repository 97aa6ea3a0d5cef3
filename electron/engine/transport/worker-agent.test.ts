// needs: python3
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultAgentPath } from './agent-launch.ts';

describe('the worker agent', () => {
  it('passes its own tests under threads', () => {
    const folder = join(dirname(defaultAgentPath()), 'tests');
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
    const { status, stdout, stderr } = spawnSync('python3', ['-m', 'unittest', 'discover', '-s', folder], {
      env,
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(status, stdout + stderr).toBe(0);
    expect(stderr).toMatch(/Ran (?:[4-9]|\d{2,}) tests/);
  });
});
