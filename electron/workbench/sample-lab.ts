import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { CausewayError } from '../../shared/model/causeway-error.ts';

const readySchema = z.object({ ready: z.object({ project: z.string(), passphrase: z.string() }) });

/** What a lab that is up has for the workbench. The passphrase protects nothing but the lab's own keys. */
export type SampleProject = z.infer<typeof readySchema>['ready'];

/** A cloud and a virtual machine on this computer, with a project for both. */
export interface SampleLab {
  /**
   * Resolves when it is up. `say` gets what it says on its way, a line each.
   * @throws CausewayError `general.sample-failed`
   */
  start(say: (line: string) => void): Promise<SampleProject>;
  /** Ends it and removes what it made; resolves when nothing of it runs. */
  stop(): Promise<void>;
}

/**
 * The lab of a checkout; undefined where there is none, e.g. in a packaged app.
 * @param root where the checkout is
 */
export function sampleLab(root: string): SampleLab | undefined {
  const launcher = join(root, 'scripts', 'launch.js');
  const node = join(root, 'node_modules', '.bin', 'node');
  if (
    process.platform !== 'linux' ||
    !existsSync(join(root, 'scripts', 'lab.ts')) ||
    !existsSync(launcher) ||
    !existsSync(node)
  )
    return undefined;
  let child: ChildProcess | undefined;
  return {
    async start(say) {
      // It ends when its standard input does: also when this process was killed.
      const lab = spawn(node, [launcher, 'lab', '--json'], { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] });
      child = lab;
      const last: string[] = [];
      const hear = (line: string): void => {
        if (line.trim() === '') return;
        last.push(line.trim());
        if (last.length > 4) last.shift();
        say(line.trim());
      };
      // A lab that has ended by itself breaks the pipe by which it would be told to.
      lab.stdin.on('error', () => undefined);
      createInterface({ input: lab.stderr }).on('line', hear);
      return new Promise((resolve, reject) => {
        createInterface({ input: lab.stdout }).on('line', (line) => {
          const ready = readySchema.safeParse(jsonOf(line));
          if (ready.success) resolve(ready.data.ready);
          else hear(line);
        });
        const fail = (why: string): void =>
          reject(new CausewayError('general.sample-failed', last.length === 0 ? why : `${last.join(' / ')} (${why})`));
        lab.once('error', (error) => fail(error.message));
        lab.once('close', (code, signal) => {
          if (child === lab) child = undefined;
          fail(signal === null ? `it exited with status ${code}` : `it was terminated by ${signal}`);
        });
      });
    },
    async stop() {
      const lab = child;
      if (lab === undefined) return;
      const ended = new Promise((resolve) => lab.once('close', resolve));
      lab.stdin?.end();
      lab.kill('SIGTERM');
      await ended;
    },
  };
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
