import { setTimeout as delay } from 'node:timers/promises';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { WorkerAccess } from '../../electron/engine/ports/destination-platform.ts';
import type { ConnectWorkerOptions } from '../../electron/engine/transport/connect-options.ts';
import { connectWorker } from '../../electron/engine/transport/connect-worker.ts';

/** What a stubborn writer is told by its one argument, as JSON. */
export interface StubbornWriter {
  readonly access: WorkerAccess;
  readonly mechanism: 'HTTPS' | 'SSH';
  readonly options: ConnectWorkerOptions;
  readonly disk: string;
  readonly diskBytes: number;
}

/**
 * Writes a disk full of ones over and over, and connects again whenever its session is lost. Says each beginning and each refusal as a JSON line.
 * Ends when it is refused for good.
 */
const { access, mechanism, options, disk, diskBytes } = JSON.parse(process.argv[2] ?? '{}') as StubbornWriter;
const never = new AbortController().signal;
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const ones = Buffer.alloc(1024 * 1024, 1);
for (;;) {
  try {
    const session = await connectWorker(access, mechanism, options, never);
    const writer = await session.open(
      { path: disk, serial: '', byPath: [], sizeBytes: diskBytes, inUse: false },
      never,
    );
    say({ writes: true });
    for (let offset = 0; ; offset = (offset + ones.length) % diskBytes) await writer.write(offset, ones, never);
  } catch (error) {
    const code = error instanceof CausewayError ? error.code : String(error);
    say({ refused: code });
    if (code === 'fleet.claim-lost') process.exit(0);
    await delay(50);
  }
}
