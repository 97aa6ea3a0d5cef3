import { app, utilityProcess } from 'electron';
import type { EngineProcess, SpawnEngine } from '../workbench/engine-process.ts';

/**
 * Starts engines as Electron utility processes. Its exit code can be wrong after a crash, so `child-process-gone` is
 * listened to as well; whichever comes first tells the end.
 */
export function utilityEngine(entry: string): SpawnEngine {
  return (start): EngineProcess => {
    const serviceName = `engine ${crypto.randomUUID()}`;
    let child: Electron.UtilityProcess | undefined = utilityProcess.fork(entry, [], { serviceName, stdio: 'inherit' });
    const ended = Promise.withResolvers<string>();
    const end = (reason: string): void => {
      // At once: posting to a process that has ended, from its own exit listener, crashed the main process in some versions.
      child = undefined;
      app.removeListener('child-process-gone', gone);
      ended.resolve(reason);
    };
    // The name given to fork is the event's `name`; its `serviceName` is the same for every utility process.
    const gone = (_event: Electron.Event, details: Electron.Details): void => {
      if (details.type === 'Utility' && details.name === serviceName) end(fatal ?? `it exited: ${details.reason}`);
    };
    let fatal: string | undefined;
    app.on('child-process-gone', gone);
    // Without a listener an `error` event would end the main process. `exit` follows. Its third argument, a diagnostic
    // report, holds the environment's variables: it goes nowhere.
    child.on('error', (type, location) => (fatal = `V8 failed (${type} at ${location})`));
    child.once('exit', (code) => end(fatal ?? `it exited with status ${code}`));
    child.postMessage({ start });
    const messages = child;
    return {
      channel: {
        send: (message) => child?.postMessage(message),
        onMessage: (listener) => void messages.on('message', listener),
        onClose: (listener) => void ended.promise.then(listener),
        close: () => void child?.kill(),
      },
      onEnd: (listener) => void ended.promise.then(listener),
      tell: (note) => child?.postMessage(note),
      stop: () => child?.postMessage({ stop: true }),
      kill: () => void child?.kill(),
    };
  };
}
