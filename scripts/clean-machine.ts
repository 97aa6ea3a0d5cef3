import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  baseRoot,
  CleanMachine,
  obstacle,
  root,
  type CommandResult,
  type Person,
  type RunOptions,
} from './clean/machine.ts';
import { readmeCommands } from './clean/readme-commands.ts';

/**
 * The commands of the README on machines that nobody prepared: as root all of them, as an ordinary user without any Debian package
 * the tests, each with standard input closed and in a fresh clone of the committed state.
 *
 *   npm run test:clean -- [--node debian|NODE/NPM]… [--as root|person]… [--commands demo|test|start]…
 *
 * Without options: Debian's Node and npm, and Node 22 with npm 10. The last line counts.
 */
const { values } = parseArgs({
  options: {
    node: { type: 'string', multiple: true, default: ['debian', '22/10'] },
    as: { type: 'string', multiple: true, default: ['root', 'person'] },
    commands: { type: 'string', multiple: true, default: [] },
  },
});
const limitMinutes = 40;
const logs = join(root, 'out', 'clean');
const why = obstacle();
if (why !== undefined) {
  console.log(`Skipped: machines that nobody prepared cannot be tried here: ${why}.`);
  process.exit(0);
}
mkdirSync(logs, { recursive: true });
await using opened = new AsyncDisposableStack();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => void opened.disposeAsync().then(() => process.exit(130)));

const all = readmeCommands(readFileSync(join(root, 'README.md'), 'utf8'));
const failures: string[] = [];
let passed = 0;
for (const kind of values.node) for (const person of values.as) await tryMachine(kind, person as Person);
if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}\n`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** One machine with one clone, and its commands one after the other. */
async function tryMachine(kind: string, person: Person): Promise<void> {
  const where = `${kind === 'debian' ? "Debian's Node" : `Node ${kind}`}, ${person === 'root' ? 'root' : 'ordinary user'}`;
  const commands = all.filter((command) =>
    values.commands.length > 0
      ? values.commands.some((name) => command.endsWith(` ${name}`))
      : person === 'root' || command === 'npm test',
  );
  try {
    const machine = opened.use(await CleanMachine.start(await baseRoot(kind), person));
    const log = (name: string): string =>
      join(logs, `${kind.replace('/', '-')}-${person}-${name.replaceAll(/\W+/g, '-')}.log`);
    const run = (line: string, more: RunOptions = {}) =>
      machine.run(person, line, { log: log(line), in: 'causeway', limitMinutes, ...more });
    const clone = await run('git clone --quiet /srv/causeway.git causeway', { in: '' });
    if (clone.status !== 0) throw new Error(clone.output);
    const versions = (await run('node --version && npm --version')).output.trim().replace('\n', ', npm ');
    console.log(`${where}: Node ${versions}`);
    if (person === 'root' && commands.includes('npm run demo'))
      await report('CAUSEWAY_NO_INSTALL=1 npm run demo', await refused(run));
    for (const command of commands)
      await report(command, command === 'npm start' ? await opens(run, command) : await succeeds(run, command));
    await machine[Symbol.asyncDispose]();

    async function report(command: string, { seconds, problems }: Verdict): Promise<void> {
      const found = [...problems, ...(await machine.leftovers())];
      console.log(`${found.length === 0 ? '✓' : '✗'} ${String(seconds).padStart(4)} s  ${where}: ${command}`);
      if (found.length === 0) passed += 1;
      else failures.push(...found.map((problem) => `${where}: ${command}: ${problem}`), `  Output: ${log(command)}`);
    }
  } catch (error) {
    failures.push(`${where}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

interface Verdict {
  readonly seconds: number;
  readonly problems: readonly string[];
}
type Run = (line: string, more?: RunOptions) => Promise<CommandResult>;

/** Without leave to install, the demonstration says what it needs before it builds anything. */
async function refused(run: Run): Promise<Verdict> {
  const { status, output, seconds } = await run('CAUSEWAY_NO_INSTALL=1 npm run demo');
  const isBuilt = (await run('test -e out')).status === 0;
  return {
    seconds,
    problems: [
      ...(status === 1 ? [] : [`exit status ${status} instead of 1`]),
      ...(isBuilt ? ['something was built'] : []),
      ...(/^The demonstration needs Debian packages that are missing \(not installed, as asked/m.test(output)
        ? []
        : ['what it needs is not said']),
      ...stackTraces(output),
    ],
  };
}

/** A command ends well, and says which packages it installs or goes without. */
async function succeeds(run: Run, command: string): Promise<Verdict> {
  const group = command === 'npm test' ? 'test' : 'demo';
  const isLacking = (await run(`node scripts/bootstrap.js --check ${group}`)).status === 1;
  const { status, output, seconds } = await run(command);
  const saysSo =
    /^(Installing \d+ Debian packages as root: |Missing Debian packages \(to install them, run as root: )/m.test(
      output,
    );
  return {
    seconds,
    problems: [
      ...(status === 0 ? [] : [`exit status ${status}`]),
      ...(isLacking && !saysSo ? ['the missing packages are not named'] : []),
      ...stackTraces(output),
    ],
  };
}

/** The workbench says its address and answers there, until it is interrupted. */
async function opens(run: Run, command: string): Promise<Verdict> {
  let answer: CommandResult | undefined;
  const { output, seconds } = await run(command, {
    until: /^The workbench is open at (\S+)/m,
    then: async ([, url]) => {
      // Any answer is one: the page itself wants a cookie.
      const program = 'fetch(process.argv[1]).then(() => process.exit(0), () => process.exit(1))';
      answer = await run(`node -e '${program}' '${url}'`, { log: join(logs, 'answer.log') });
    },
  });
  return { seconds, problems: [...(answer?.status === 0 ? [] : ['it does not answer']), ...stackTraces(output)] };
}

function stackTraces(output: string): string[] {
  return /^\s+at .+:\d+:\d+\)?$/m.test(output) ? ['a stack trace is shown'] : [];
}
