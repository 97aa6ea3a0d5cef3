import { PassThrough } from 'node:stream';
import { runProgram } from '../../../electron/cli/program.ts';
import type { LabProject } from './lab-options.ts';

/** The command line of the product, in this process, in a lab's project. */
export function commandLineIn(project: LabProject): (...argv: string[]) => Promise<{ status: number; output: string }> {
  return async (...argv) => {
    const stdout = new PassThrough();
    let output = '';
    stdout.on('data', (piece: Buffer) => (output += piece.toString()));
    const status = await runProgram([...argv, '--project', project.folder], {
      stdout,
      stderr: process.stderr,
      env: { CAUSEWAY_KEY_FILE: project.keyFile },
      entry: import.meta.url,
      signal: new AbortController().signal,
    });
    return { status, output };
  };
}
