import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { measuredLegs, type MeasuredLegs } from '../../../shared/model/legs.ts';
import { bytes, parseByteCount } from '../../../shared/model/quantities.ts';
import { parseRate } from '../../engine/bandwidth/index.ts';
import { moverBook } from '../../movers/mover-book.ts';
import { suggestWay, type DataWay, type RatedWay, type WaySuggestion } from '../../movers/suggest-way.ts';
import { UsageError, type CommandContext, type ExitStatus, type ProjectOptions } from '../command-context.ts';
import { duration, print, table } from '../output/print.ts';
import { withRunningService } from './on-mover.ts';
import { withProject } from './with-project.ts';

export interface SuggestOptions extends ProjectOptions {
  readonly source?: string;
  readonly destination?: string;
  /** The project's folder on movers. */
  readonly moverProject?: string;
  /** `here:source=20M`: instead of what was measured. */
  readonly leg?: readonly string[];
  readonly size?: string;
}

/** The newest executions tell how fast a way is today. */
const newestExecutions = 20;
const here = 'here';

/** Says through which computer data should flow between two endpoints, from what executions have measured there. */
export async function suggestMover(
  names: readonly string[],
  options: SuggestOptions,
  context: CommandContext,
): Promise<ExitStatus> {
  const known = moverBook()
    .list()
    .map(({ name }) => name);
  const given = givenLegs(options.leg ?? [], [here, ...known]);
  const movers = (names.length > 0 ? names : known).map((name) => moverBook().get(name).name);
  const { on: _mover, ...local } = options;
  const measured = new Map<string, Measured>();
  // Without its own mover variable: this is the project on this computer.
  const unmoved: CommandContext = { ...context, env: { ...context.env, CAUSEWAY_MOVER: undefined } };
  const tryThere = async (name: string, look: () => Promise<Measured>): Promise<void> => {
    // Where all was given nothing is asked.
    if (
      given.get(`${name}:source`) !== undefined &&
      given.get(`${name}:destination`) !== undefined &&
      options.size !== undefined
    )
      return;
    try {
      measured.set(name, await look());
    } catch (error) {
      context.stderr.write(`${name}: not measured: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  };
  await tryThere(here, () => withProject(local, unmoved, (core) => measure(core, options)));
  for (const name of movers) {
    const there = { ...(options.moverProject === undefined ? {} : { project: options.moverProject }) };
    await tryThere(name, () => withRunningService(name, there, context, (core) => measure(core, options)));
  }
  const ways = [here, ...movers].map((name): DataWay => ({
    mover: name === here ? undefined : name,
    source: given.get(`${name}:source`) ?? measured.get(name)?.legs.source,
    destination: given.get(`${name}:destination`) ?? measured.get(name)?.legs.destination,
  }));
  const size =
    options.size === undefined
      ? Math.max(0, ...[...measured.values()].map(({ sizeBytes }) => sizeBytes))
      : parseByteCount(options.size);
  if (size === undefined || !(size > 0))
    throw new UsageError(
      '--size must be a size such as 500G or 20T. It is optional where a project has replicas between these endpoints',
    );
  const suggestion = suggestWay(ways, size);
  print(context, options, [{ bytes: size, ...suggestion }], () => words(suggestion, size));
  return suggestion.best === undefined ? 1 : 0;
}

interface Measured {
  readonly legs: MeasuredLegs;
  /** Of all replicas between these endpoints. */
  readonly sizeBytes: number;
}

async function measure(core: CoreClient, { source, destination }: SuggestOptions): Promise<Measured> {
  const nameOf = new Map((await core.call('endpoint.list', {})).map(({ id, name }) => [id, name]));
  const replicas = (await core.call('replica.list', {})).filter(
    ({ sourceEndpointId, destinationEndpointId }) =>
      (source === undefined || nameOf.get(sourceEndpointId) === source) &&
      (destination === undefined || nameOf.get(destinationEndpointId) === destination),
  );
  const wanted = new Set(replicas.map(({ id }) => id));
  const executions = (await core.call('execution.list', { limit: 1000 }))
    .filter(({ replicaId, state }) => wanted.has(replicaId) && state === 'completed')
    .slice(0, newestExecutions);
  const disks: Readonly<Record<string, unknown>>[] = [];
  for (const { id } of executions) {
    for (const { type, details } of await core.call('execution.events', { execution: id, limit: 10_000 }))
      if (type === 'disk.done') disks.push(details);
  }
  return {
    legs: measuredLegs(disks),
    sizeBytes: replicas.reduce((sum, replica) => sum + replica.disks.reduce((so, disk) => so + disk.sizeBytes, 0), 0),
  };
}

function givenLegs(legs: readonly string[], names: readonly string[]): Map<string, number> {
  return new Map(
    legs.map((leg) => {
      const [, name = '', side = '', rate = ''] = /^([^:=]+):(source|destination)=(.+)$/.exec(leg) ?? [];
      if (!names.includes(name))
        throw new UsageError(
          `--leg "${leg}" must be here:source=RATE, here:destination=RATE, or the same with a mover's name`,
        );
      const parsed = parseRate(rate);
      if (parsed === undefined) throw new UsageError(`--leg "${leg}": a leg has a rate, such as 20M`);
      return [`${name}:${side}`, parsed];
    }),
  );
}

function words({ ways, best, savedSeconds, missing }: WaySuggestion, size: number): string {
  const rate = (value: number | undefined): string => (value === undefined ? 'not measured' : `${bytes(value)}/s`);
  const lines = [
    table(
      ['through', 'source', 'destination', 'rate', `time for ${bytes(size)}`],
      ways.map((way) => [
        nameOf(way),
        rate(way.source),
        rate(way.destination),
        rate(way.bytesPerSecond),
        way.seconds === undefined ? '-' : duration(way.seconds),
      ]),
    ),
  ];
  if (best === undefined) lines.push('No route has both legs measured.\n');
  else if (best.mover === undefined) lines.push('Suggestion: data through this computer.\n');
  else
    lines.push(
      `Suggestion: data through ${best.mover}${savedSeconds === undefined ? '' : `: ${duration(savedSeconds)} less than through this computer`}.\n`,
    );
  for (const { mover, side } of missing) {
    lines.push(
      `Not measured: ${mover ?? 'this computer'} to the ${side}. Execute a small replica there, or give --leg ${mover ?? here}:${side}=RATE.\n`,
    );
  }
  return lines.join('');
}

function nameOf({ mover }: Pick<RatedWay, 'mover'>): string {
  return mover ?? 'this computer';
}
