import { afterEach } from 'vitest';
import type { EngineProcess } from './lab-project.ts';

/** Keeps the engines of each test: they are killed after it, and tell what happened in them when it failed. */
export function toldEngines(): (engine: EngineProcess) => EngineProcess {
  const engines: EngineProcess[] = [];
  afterEach(async ({ task }) => {
    for (const engine of engines.splice(0)) {
      await engine.kill();
      if (task.result?.state === 'fail')
        console.log(engine.events.map((event) => `${event.at} ${event.message}`).join('\n'));
    }
  });
  return (engine) => {
    engines.push(engine);
    return engine;
  };
}
