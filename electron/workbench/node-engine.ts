import { fork } from 'node:child_process';
import { engineFlags } from '../engine/runtime/engine-flags.ts';
import type { EngineProcess, SpawnEngine } from './engine-process.ts';

/**
 * Starts engines as child processes of Node: the way of the web host. Their memory is their own, so that an engine that
 * dies takes neither the page nor this process with it.
 */
export function nodeEngine(entry: string): SpawnEngine {
  return (start): EngineProcess => {
    const child = fork(entry, [], {
      execArgv: [...process.execArgv, ...engineFlags],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.on('error', () => undefined); // 'exit' follows, or the send below failed: the end is reported in one place
    child.send({ start });
    const ended = new Promise<string>((resolve) => {
      child.once('exit', (code, signal) =>
        resolve(signal === null ? `it exited with status ${code}` : `it was terminated by ${signal}`),
      );
    });
    return {
      channel: {
        send: (message) => void (child.connected && child.send(message)),
        onMessage: (listener) => void child.on('message', listener),
        onClose: (listener) => void ended.then(listener),
        close: () => void (child.connected && child.disconnect()),
      },
      onEnd: (listener) => void ended.then(listener),
      tell: (note) => void (child.connected && child.send(note)),
      stop: () => void (child.connected && child.send({ stop: true })),
      kill: () => void child.kill('SIGKILL'),
    };
  };
}
