/**
 * How long the built command line takes to answer, beside Node's own start and a program of another vendor with about as many commands
 * (kubectl). All take turns.
 *
 *   node e2e/bench/start.ts [--runs 15] [--json]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { environmentDocument } from '../demo/environment.ts';
import { atMost, median, startReport, wayOf } from './results.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '15' }, json: { type: 'boolean' } } });
const runs = Number(values.runs);
const root = join(import.meta.dirname, '..', '..');
const commandLine = join(root, 'out', 'main', 'cli.js');
const kubectl = '/usr/bin/kubectl';
if (!existsSync(commandLine)) {
  console.error('The command line is not built: npm run bench -- start');
  process.exit(2);
}
const report = startReport('start');
report.version('kubectl', kubectl, 'version', '--client');

// Without the cache of compiled code that `npm run` sets: users start the file itself.
const { NODE_COMPILE_CACHE: _cache, ...env } = process.env;
const scratch = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
try {
  const document = join(scratch, 'web-01.yaml');
  writeFileSync(document, environmentDocument());
  const causeway = (...args: readonly string[]): readonly string[] => [process.execPath, commandLine, ...args];
  const node = { 'node -e 0': [process.execPath, '-e', '0'] };
  const groups = [
    {
      group: 'help',
      peer: 'kubectl --help',
      goal: 0.1,
      ways: { 'causeway --help': causeway('--help'), ...node, 'kubectl --help': [kubectl, '--help'] },
    },
    {
      group: 'version',
      peer: 'kubectl version',
      ways: {
        'causeway --version': causeway('--version'),
        ...node,
        'kubectl version': [kubectl, 'version', '--client'],
      },
    },
    {
      group: 'one document',
      peer: 'node -e 0',
      goal: 0.25,
      ways: { 'causeway validate': causeway('validate', document), ...node },
    },
    {
      group: 'explain one document',
      peer: 'node -e 0',
      ways: { 'causeway explain': causeway('explain', document), ...node },
    },
  ] as const;
  for (const { group, peer, ways, ...rest } of groups) {
    const commands = Object.entries<readonly string[]>(ways).filter(([, [program]]) => existsSync(program!));
    const times = new Map<string, number[]>(commands.map(([name]) => [name, []]));
    // The first turn brings files into the page cache.
    for (let turn = -1; turn < runs; turn += 1) {
      for (const [name, command] of commands) {
        const seconds = secondsOf(command);
        if (turn >= 0) times.get(name)!.push(seconds);
      }
    }
    const [own] = commands[0]!;
    const goal = 'goal' in rest ? rest.goal : undefined;
    const others = commands.slice(1).map(([name]) => name);
    const chosen = others.includes(peer) ? peer : 'node -e 0';
    console.log(`${group} (median of ${runs}, load ${(loadavg()[0] ?? 0).toFixed(1)})`);
    for (const [name, taken] of times)
      console.log(
        `  ${name.padEnd(22)}${median(taken).toFixed(3)} s (at least ${Math.min(...taken).toFixed(3)})${name === own ? '' : `   ${own} is ${(median(times.get(own)!) / median(taken)).toFixed(2)} x`}`,
      );
    if (goal !== undefined) console.log(`  at most ${goal} s: ${median(times.get(own)!) <= goal ? 'met' : 'missed'}`);
    report.add({
      group,
      what: 'time',
      unit: 's',
      ways: [...times].map(([name, taken]) => wayOf(name, taken)),
      peer: chosen,
      ...(goal === undefined ? {} : { goal: atMost(goal, 'value') }),
    });
    if (chosen !== 'node -e 0')
      report.add({
        group,
        what: "time beside Node's own start",
        unit: 's',
        ways: [...times]
          .filter(([name]) => name === own || name === 'node -e 0')
          .map(([name, taken]) => wayOf(name, taken)),
        peer: 'node -e 0',
      });
  }
  report.finish();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function secondsOf([program, ...args]: readonly string[]): number {
  const begun = performance.now();
  const { status, stderr } = spawnSync(program!, args, { encoding: 'utf8', env });
  const seconds = (performance.now() - begun) / 1000;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr.slice(0, 500)}`);
  return seconds;
}
