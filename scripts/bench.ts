import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Runs the measurements in `e2e/bench`, one after the other (never two at once: they would measure each other), or
 * those whose names are given. Each prints its own table of ratios against a named peer of the same run.
 */
const root = join(import.meta.dirname, '..');
const all = {
  validate: '10,000 environment documents in one call of the command line',
  pipeline: 'what replication costs without a network',
  transfer: 'a disk to a worker, beside nbdcopy, qemu-img and dd over ssh',
  images: 'disk images by our own readers, beside qemu-nbd',
  nfc: 'a disk from the data port of a host, beside a peer\'s client',
  'ebs-direct': 'a snapshot through the EBS direct APIs, beside a plain client with the same SDK',
  'page-ranges': 'a snapshot of a managed disk by page ranges, beside a plain client with the same SDK',
  execution: 'whole executions: sparse disks, memory with several disks at once',
  'guest-preparation': 'a guest prepared, beside virt-v2v-in-place and virt-customize',
  fleet: 'what a fleet costs in processor time, and how much eight VMs at once bring beside one',
  'fleet-year': 'a year of waves with the real scheduler: 10,000 replicas, 50 movers; queues and costs as plots',
  workbench: 'how the page bears a thousand machines',
  tables: 'our table of ten thousand machines, beside a data grid',
};
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(all, name));
if (unknown.length > 0) {
  const known = Object.entries(all).map(([name, about]) => `  ${name.padEnd(19)}${about}`);
  console.error(`No such measurement: ${unknown.join(', ')}. There are:\n${known.join('\n')}`);
  process.exit(2);
}
let failed = 0;
for (const name of wanted.length === 0 ? Object.keys(all) : wanted) {
  console.log(`\n── ${name} ${'─'.repeat(50)}`);
  const { status } = spawnSync(process.execPath, [join(root, 'e2e', 'bench', `${name}.ts`)], { cwd: root, stdio: 'inherit' });
  if (status !== 0) failed++;
}
process.exitCode = failed === 0 ? 0 : 1;
