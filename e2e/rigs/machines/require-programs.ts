import { spawnSync } from 'node:child_process';
import { packages } from '../../../scripts/packages.js';
import { canRun } from '../../../scripts/test/needs.ts';

/** Throws one line that names what is missing and how to get it, before anything is started. */
export function requirePrograms(purpose: string, ...programs: readonly string[]): void {
  const missing = programs.filter((program) => !hasProgram(program));
  if (missing.length === 0) return;
  const names = [...new Set(missing.map((program) => packageOf(program) ?? program))].join(', ');
  throw new Error(`${purpose} needs the Debian packages ${names} (node scripts/bootstrap.js installs them)`);
}

/** Whether the program is on this machine. */
export function hasProgram(program: string): boolean {
  const name = packageOf(program);
  return name === undefined ? spawnSync('which', [program]).status === 0 : canRun(name);
}

/** The Debian package that brings a program, of those that the bootstrap installs. */
function packageOf(program: string): string | undefined {
  return Object.keys(packages).find((name) => packages[name]?.provides?.includes(program));
}
