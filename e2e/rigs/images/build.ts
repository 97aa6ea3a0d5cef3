import { ensureDebianGuest, ensureWorkerInitramfs, ensureWorkerRoot } from './ensure.ts';

/** Builds what is named (`worker-root`, `worker-initramfs`, `debian-guest`; all if nothing is) and prints where it is. */
const builders = {
  'worker-root': ensureWorkerRoot,
  'worker-initramfs': ensureWorkerInitramfs,
  'debian-guest': ensureDebianGuest,
};

const named = process.argv.slice(2);
for (const [name, ensure] of Object.entries(builders)) {
  if (named.length > 0 && !named.includes(name)) continue;
  const started = Date.now();
  const path = await ensure((line) => process.stderr.write(`${name}: ${line}\n`));
  process.stdout.write(`${name}\t${((Date.now() - started) / 1000).toFixed(1)} s\t${path}\n`);
}
