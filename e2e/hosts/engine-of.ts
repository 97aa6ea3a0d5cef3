// needs: procps
import { execFileSync } from 'node:child_process';

/** Process id of the host's child that runs the engine: a child of Node, or Electron's utility process. */
export function engineOf(host: number): number {
  const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(host)], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const engine = children.find((line) => line.includes('engine.js') || line.includes('node.mojom.NodeService'));
  if (engine === undefined) throw new Error(`The host has no engine: ${children.join('; ')}`);
  return Number.parseInt(engine, 10);
}
