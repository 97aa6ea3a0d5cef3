// needs: native workers, installed guests
// lease: the shipped lab
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { hasWine } from '../rigs/windows-node/windows-node.ts';

const root = join(import.meta.dirname, '..', '..');

it.runIf(hasWine && process.geteuid?.() === 0)(
  "the demonstration moves a running VM from Windows' Node, its host being another computer",
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'e2e/demo/run.ts'), '--windows'], {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
    });
    for (const proof of [
      'A mistake is found, with its place and what was meant',
      'The endpoint lab-host passes its check',
      'The endpoint lab-cloud passes its check',
      'It resumes after the kill',
      'After the second execution, source and destination are byte-identical',
      'After the replication over SSH, source and destination are byte-identical',
      'No worker, key, address or rule is left behind',
      'Deleting the replica deletes its volume',
    ])
      expect(stdout).toContain(`  ✓ ${proof} (`);
  },
  30 * 60_000,
);
