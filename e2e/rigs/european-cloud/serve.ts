import { parseArgs } from 'node:util';
import { startEuropeanCloud } from './start.ts';

/**
 * The cloud as a process of its own: `node serve.ts [--folder F] [--port N] [--machines none|native|user|qemu]
 * [--transition-ms N]`. Prints one JSON line when it is ready; ends with SIGTERM, SIGINT or the end of its standard input.
 */
const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    port: { type: 'string', default: '0' },
    'transition-ms': { type: 'string', default: '200' },
  },
});

const cloud = await startEuropeanCloud({
  ...(values.folder === undefined ? {} : { folder: values.folder }),
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
