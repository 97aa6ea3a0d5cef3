// needs: native workers, installed guests
// lease: the shipped lab
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

it(
  'the demonstration moves a VM, deploys it with default options on the lab, and logs in to it',
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'e2e/demo/run.ts'), '--deploy'], {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
    });
    expect(stdout).toContain('The replica is deployed, and its guest has booted');
    expect(stdout).toMatch(/It answers SSH as what the source was, on VirtIO disks \(/);
    expect(stdout).toMatch(/Next:\n\s+npm start/);
  },
  30 * 60_000,
);
