import { join } from 'node:path';
import { startWebHost } from './host/web-host.ts';

/** The workbench on loopback, for a machine without a display or without Electron's runtime. */
const host = await startWebHost({
  folder: join(import.meta.dirname, '..', 'renderer'),
  connect: (socket) => socket.close(),
});
console.log(`The workbench is open at ${host.url} (the link works once). Ctrl-C ends it.`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void host.close());
