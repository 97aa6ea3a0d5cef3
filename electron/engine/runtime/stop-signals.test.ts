import { expect, test } from 'vitest';
import { stopSignals } from './stop-signals.ts';

test('a closed console and a log-off stop programs in good order on Windows; nohup keeps its meaning elsewhere', () => {
  expect(stopSignals('win32')).toEqual(['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP']);
  for (const platform of ['linux', 'darwin'] as const) expect(stopSignals(platform)).toEqual(['SIGINT', 'SIGTERM']);
});

test('each is one that this system can be asked to hear', () => {
  for (const signal of stopSignals()) {
    const listener = (): void => undefined;
    process.on(signal, listener);
    process.off(signal, listener);
  }
});
