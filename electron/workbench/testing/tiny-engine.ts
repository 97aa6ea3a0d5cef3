import { setTimeout as delay } from 'node:timers/promises';

/**
 * The smallest engine that speaks as the real one does to its parent, for tests of its supervision. The project's folder
 * says what it is to do wrong: `…/refuses`, `…/dies-at-start`, `…/deaf` (does not stop when asked).
 */
const send = (message: object): void => void process.send?.(message);
let start: { readonly projectFolder: string; readonly passphrase?: string } | undefined;
const notes: unknown[] = [];

process.on('message', (message: Record<string, never>) => {
  if ('start' in message) void begin(message['start']!);
  else if ('stop' in message) void end();
  else if ('unlock' in message || 'woke' in message) notes.push(message);
  else if ('call' in message) answer(message['id']!, message['call']!);
});
process.once('disconnect', () => process.exit(0));

async function begin(given: NonNullable<typeof start>): Promise<void> {
  start = given;
  if (given.projectFolder.endsWith('dies-at-start')) process.exit(3);
  if (given.projectFolder.endsWith('refuses')) {
    send({ failed: { code: 'engine.project-busy', message: 'by process 1', details: {}, retryable: false } });
    return;
  }
  await delay(1);
  send({ started: true });
}

async function end(): Promise<void> {
  if (start?.projectFolder.endsWith('deaf') === true) return;
  process.exit(0);
}

function answer(id: number, call: string): void {
  // Names of secrets are the call's answer that can carry any text back to the test.
  if (call === 'vault.list')
    send({ id, answer: { ok: true, value: [String(process.pid), JSON.stringify({ start, notes })] } });
  else if (call === 'vault.status') process.kill(process.pid, 'SIGKILL');
  else send({ id, answer: { ok: true, value: [] } });
}
