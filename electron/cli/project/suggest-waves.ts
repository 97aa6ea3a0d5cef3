import { parseChangeRate } from '../../../shared/inventory/change-rate.ts';
import { mostByQuotas, shortQuotas } from '../../../shared/inventory/destination-quotas.ts';
import { machineLabels, type KeptMachine } from '../../../shared/inventory/inventory.ts';
import { readFlows } from '../../../shared/inventory/network-flows.ts';
import { suggestWaves, type SuggestedWave, type WaveLimits } from '../../../shared/inventory/suggest-waves.ts';
import { limitsOf, type EnteredLimits } from '../../../shared/inventory/wave-limits.ts';
import { isWithin, loadOf, sumOfLoads } from '../../../shared/inventory/wave-load.ts';
import { parseRate } from '../../../shared/model/bandwidth-profile.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { bytes } from '../../../shared/model/quantities.ts';
import { UsageError, type CommandContext, type ExitStatus, type ProjectOptions } from '../command-context.ts';
import { print, table } from '../output/print.ts';
import { readInputText } from './read-files.ts';
import { withProject } from './with-project.ts';

export interface SuggestWavesOptions extends ProjectOptions {
  readonly by?: string;
  readonly flows?: string;
  readonly machines: string;
  readonly tib?: string;
  readonly vcpus?: string;
  readonly memory?: string;
  readonly volumes?: string;
  readonly hours?: string;
  readonly limit?: string;
  readonly change?: string;
  readonly lastPassOnly?: boolean;
  readonly source?: string;
  readonly destination?: string;
  readonly name: string;
  readonly create?: boolean;
}

const criteria = [...machineLabels, 'size', 'flows'] as const;

/** Exit status 1 where the destination's quotas are too small for all waves together, or replicas could not be created. */
export async function suggestWavesOf(
  listName: string,
  options: SuggestWavesOptions,
  context: CommandContext,
): Promise<ExitStatus> {
  const entered = enteredLimits(options);
  const by = criterionOf(options);
  const flows = options.flows === undefined ? undefined : readFlows(readInputText(options.flows)).flows;
  if (flows?.length === 0) throw new UsageError(`${options.flows}: needs a column "source" and a column "destination"`);
  if (options.create === true && (options.source === undefined || options.destination === undefined))
    throw new UsageError('--create needs --source and --destination');
  const found = await withProject(options, context, async (core) => {
    const list = (await core.call('inventory.list', {}, { signal: context.signal })).find(
      ({ name }) => name === listName,
    );
    if (list === undefined) throw new CausewayError('engine.not-found', `list ${listName}`);
    const measured = await core.call(
      'wave.measuredChanges',
      options.source === undefined ? {} : { source: options.source },
      { signal: context.signal },
    );
    const catalog =
      options.destination === undefined
        ? undefined
        : (await core.call('catalog.last', { endpoint: options.destination }, { signal: context.signal })).catalog;
    const machines = list.machines.filter(({ state }) => state !== 'gone');
    const quotas = catalog?.quotas ?? [];
    const limits = {
      ...limitsOf({ ...entered, measured, quotas }),
      by,
      name: options.name,
      ...(flows === undefined ? {} : { flows }),
    };
    const waves = suggestWaves(machines, limits);
    const created =
      options.create === true && options.source !== undefined && options.destination !== undefined && waves.length > 0
        ? await core.call(
            'replica.createMany',
            {
              source: options.source,
              destination: options.destination,
              machines: waves.flatMap((wave) =>
                wave.machines.map(({ vm }) => ({ vm: vm.id, name: vm.name, wave: wave.name })),
              ),
            },
            { signal: context.signal },
          )
        : undefined;
    return { waves, limits, quotas, capturedAt: catalog?.captured_at, created };
  });
  const rows = found.waves.map((wave) => rowOf(wave, found.limits));
  print(context, options, rows, () =>
    table(
      ['wave', 'vms', 'disks', 'in the window', 'vcpus', 'memory', 'volumes', 'limits', 'for example'],
      rows.map((row) => [
        row.wave,
        row.vms.length,
        bytes(row.bytes),
        bytes(row.windowBytes),
        row.vcpus,
        bytes(row.memoryMb * 1024 ** 2),
        row.volumes,
        row.isWithinLimits ? 'kept' : 'OVER',
        row.vms.slice(0, 3).join(', '),
      ]),
    ),
  );
  const short = shortQuotas(
    sumOfLoads(found.waves.flatMap(({ machines }) => machines.map((machine) => loadOf(machine)))),
    found.quotas,
  );
  if (options.destination !== undefined && Object.keys(mostByQuotas(found.quotas)).length + short.length === 0) {
    context.stderr.write(
      `No quotas of ${options.destination} are known: causeway catalog reads them where the platform has any.\n`,
    );
  }
  for (const { kind, needed, free } of short) {
    context.stderr.write(
      `All waves together need more than the quota ${kind} of ${options.destination}: ${needed} needed, ${free} free${found.capturedAt === undefined ? '' : ` (as of ${found.capturedAt})`}\n`,
    );
  }
  for (const { name, reason } of found.created?.skipped ?? [])
    context.stderr.write(`${name}: not created (${reason})\n`);
  if (found.created !== undefined) context.stderr.write(`${found.created.created.length} replicas created\n`);
  return short.length > 0 || (found.created?.skipped.length ?? 0) > 0 ? 1 : 0;
}

function rowOf(
  { name, machines }: SuggestedWave<KeptMachine>,
  { most, windowBytes }: Pick<WaveLimits, 'most' | 'windowBytes'>,
) {
  const { machines: _count, ...load } = sumOfLoads(machines.map((machine) => loadOf(machine, windowBytes)));
  return {
    wave: name,
    vms: machines.map(({ vm }) => vm.name),
    ...load,
    isWithinLimits: isWithin({ ...load, machines: machines.length }, most),
  };
}

function criterionOf({ by, flows }: SuggestWavesOptions): WaveLimits['by'] {
  const wanted = by ?? (flows === undefined ? 'application' : 'flows');
  const known = criteria.find((one) => one === wanted);
  if (known === undefined) throw new UsageError(`--by must be ${criteria.join(', ')}`);
  if (known === 'flows' && flows === undefined) throw new UsageError('--by flows needs --flows');
  return known;
}

/** @throws UsageError */
export function enteredLimits(options: SuggestWavesOptions): Omit<EnteredLimits, 'measured' | 'quotas'> {
  const number = (
    name: 'machines' | 'tib' | 'vcpus' | 'memory' | 'volumes' | 'hours',
    isWhole: boolean,
  ): number | undefined => {
    const written = options[name];
    if (written === undefined) return undefined;
    const value = Number(written);
    if (written.trim() === '' || !Number.isFinite(value) || value <= 0 || (isWhole && !Number.isInteger(value)))
      throw new UsageError(`--${name} must be a ${isWhole ? 'whole ' : ''}number above zero`);
    return value;
  };
  const bytesPerSecond = options.limit === undefined ? undefined : parseRate(options.limit);
  if (bytesPerSecond === 0) throw new UsageError('--limit must be a rate, or unlimited');
  const change = parseChangeRate(options.change ?? '');
  if (change === 'invalid')
    throw new UsageError('--change must be a percentage of the disks or a size, per day: 5% or 10GiB');
  const hours = number('hours', false);
  if ((change !== undefined || options.lastPassOnly === true) && (hours === undefined || bytesPerSecond === undefined))
    throw new UsageError('--change and --last-pass-only need --hours and --limit');
  return {
    machines: number('machines', true),
    tib: number('tib', false),
    vcpus: number('vcpus', true),
    memoryGib: number('memory', false),
    volumes: number('volumes', true),
    hours,
    bytesPerSecond,
    change,
    copies: options.lastPassOnly === true ? 'last-pass' : 'all',
  };
}
