import { parseArgs } from 'node:util';
import { labMachines } from '../machines/kinds.ts';
import type { WorkerKind } from '../machines/kinds.ts';
import { startEuropeanCloud } from './start.ts';

/**
 * The cloud as a process of its own: `node serve.ts [--folder F] [--port N] [--workers none|native|user|qemu]
 * [--outbound] [--transition-ms N]`. Prints one JSON line when it is ready; ends with SIGTERM, SIGINT or the end of its standard input.
 */
const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    port: { type: 'string', default: '0' },
    workers: { type: 'string', default: 'none' },
    outbound: { type: 'boolean', default: false },
    'transition-ms': { type: 'string', default: '200' },
  },
});

const kinds: readonly string[] = ['none', 'native', 'user', 'qemu'];
if (!kinds.includes(values.workers)) throw new Error(`--workers is one of ${kinds.join(', ')}`);
const progress = (line: string): void => void process.stderr.write(`${line}\n`);

const cloud = await startEuropeanCloud({
  ...(values.folder === undefined ? {} : { folder: values.folder }),
  ...(values.workers === 'none'
    ? {}
    : { machines: labMachines({ worker: values.workers as WorkerKind, outbound: values.outbound, progress }) }),
  port: Number(values.port),
  transitionMs: Number(values['transition-ms']),
});

const { urls, serviceAccountKey, organizationId, projectId, region, folder } = cloud;
process.stdout.write(`${JSON.stringify({ urls, serviceAccountKey, organizationId, projectId, region, folder })}\n`);

let ending = false;
async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  await cloud.close();
  process.exit(0);
}

process.once('SIGTERM', () => void end());
process.once('SIGINT', () => void end());
process.stdin.resume().once('end', () => void end());
