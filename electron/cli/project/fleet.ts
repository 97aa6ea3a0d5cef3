import { resolve } from 'node:path';
import { systemClock } from '../../engine/time/clock.ts';
import { contactFleet } from '../../fleet/contact-fleet.ts';
import {
  fleetConfigSchema,
  readFleetConfig,
  removeFleetConfig,
  writeFleetConfig,
  type FleetConfig,
} from '../../fleet/fleet-config.ts';
import type { FleetObstacle, NotShared } from '../../../shared/model/fleet.ts';
import { bytes } from '../../../shared/model/quantities.ts';
import { lineDifference } from '../../../shared/reports/line-difference.ts';
import { UsageError, type CommandContext, type ExitStatus, type ProjectOptions } from '../command-context.ts';
import { print, table } from '../output/print.ts';
import { moverOf, projectFolder, withProject } from './with-project.ts';

export interface JoinOptions extends ProjectOptions {
  readonly name: string;
  readonly user?: string;
  readonly passwordFile?: string;
  readonly credentials?: string;
  readonly seed?: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly copies: string;
  readonly claimSeconds: string;
  readonly carry?: string;
  readonly reach?: readonly string[];
}

/** These commands read files of the computer that is the member. @throws UsageError where a mover is meant */
function folderHere(options: ProjectOptions, context: CommandContext): string {
  if (moverOf(options, context) !== undefined)
    throw new UsageError(
      'fleet commands work on this computer only: run them on the mover itself, without --on and CAUSEWAY_MOVER',
    );
  return projectFolder(options, context);
}

const file = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(path));

/** Remembers how this computer takes part, once the servers have answered. */
export async function joinProject(
  servers: readonly string[],
  options: JoinOptions,
  context: CommandContext,
): Promise<ExitStatus> {
  const folder = folderHere(options, context);
  if ((options.cert === undefined) !== (options.key === undefined))
    throw new UsageError('--cert and --key belong together');
  const parsed = fleetConfigSchema.safeParse({
    servers,
    project: options.name,
    user: options.user,
    passwordFile: file(options.passwordFile),
    credentialsFile: file(options.credentials),
    seedFile: file(options.seed),
    tls:
      options.ca === undefined
        ? undefined
        : { caFile: file(options.ca), certFile: file(options.cert), keyFile: file(options.key) },
    replicas: Number(options.copies),
    claimSeconds: Number(options.claimSeconds),
    carries: options.carry === undefined ? undefined : Number(options.carry),
    reaches: options.reach,
  });
  if (!parsed.success)
    throw new UsageError(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  await contactFleet(parsed.data, folder, 'causeway fleet join');
  writeFleetConfig(folder, parsed.data);
  context.stdout.write(`This project is part of the fleet ${options.name} from the next command on.\n`);
  return 0;
}

export function leaveProject(options: ProjectOptions, context: CommandContext): ExitStatus {
  removeFleetConfig(folderHere(options, context));
  context.stdout.write('This project belongs to this computer alone from the next command on.\n');
  return 0;
}

/** @throws UsageError where the project is in no fleet */
function configOf(options: ProjectOptions, context: CommandContext): FleetConfig {
  const config = readFleetConfig(folderHere(options, context));
  if (config === undefined) throw new UsageError('this project is in no fleet: causeway fleet join');
  return config;
}

const notSharedBecause: Readonly<Record<NotShared['reason'], string>> = {
  name: 'not every system allows this file name',
  case: 'another file has the same name in other upper and lower case',
  size: 'it is too large',
};

/** What something waits for, in words. */
function waitsFor(obstacle: FleetObstacle, names: (ids: readonly string[]) => string[]): string {
  switch (obstacle.kind) {
    case 'starting':
      return 'nothing: it is about to start';
    case 'nobody':
      return 'a member that carries something';
    case 'reach':
      return `a member that reaches ${names(obstacle.endpoints).join(' and ')}`;
    case 'draining':
      return 'a member that is not leaving';
    case 'refused':
      return 'another member: those that reach it could not continue it';
    case 'limit':
      return `the limit of ${obstacle.limits.join(', ')}`;
    case 'room':
      return 'room on a member';
  }
}

export async function fleetStatus(options: ProjectOptions, context: CommandContext): Promise<ExitStatus> {
  configOf(options, context);
  const { replicas, endpoints, view, limits, conflicts, notShared } = await withProject(
    options,
    context,
    async (core) => ({
      replicas: await core.call('replica.list', {}),
      endpoints: await core.call('endpoint.list', {}),
      view: await core.call('fleet.view', { queueLimit: 100_000 }),
      limits: await core.call('fleet.limits', {}),
      conflicts: await core.call('fleet.conflicts', {}),
      notShared: await core.call('fleet.notShared', {}),
    }),
  );
  const nameOf = new Map([...replicas, ...endpoints].map(({ id, name }) => [id, name]));
  const names = (ids: readonly string[]): string[] => ids.map((id) => nameOf.get(id) ?? id);
  const waiting = new Set(view.waiting);
  const rows = replicas.map(({ id, name }) => ({
    replica: name,
    member: view.holders[id] ?? (waiting.has(id) ? 'waits for a member' : undefined),
  }));
  // A command that looks for a moment carries nothing out.
  const members = view.members
    .filter(({ isThis, carries }) => !isThis || carries > 0)
    .map(({ name, carries, isDraining, reaches, works, heardSecondsAgo }) => {
      const rates = works.flatMap((id) => view.rates[id] ?? []);
      return {
        name,
        carries,
        isDraining,
        reaches: names(reaches),
        works: names(works),
        heardSecondsAgo,
        ...(rates.length === 0 ? {} : { bytesPerSecond: rates.reduce((sum, rate) => sum + rate, 0) }),
      };
    });
  const queue = view.queue.map(({ replicaId, wave, isUrgent, since, waitsFor: obstacle }) => ({
    queued: nameOf.get(replicaId) ?? replicaId,
    ...(wave === '' ? {} : { wave }),
    isUrgent,
    since,
    waitsFor: waitsFor(obstacle, names),
  }));
  const limited = Object.entries(limits).map(([limit, atOnce]) => ({ limit, atOnce, inUse: view.inUse[limit] ?? 0 }));
  print(
    context,
    options,
    [
      ...rows,
      ...members.map((one) => ({ ...one, name: undefined, memberOfFleet: one.name })),
      ...queue,
      ...limited,
      ...conflicts.map(({ file: conflict }) => ({ conflict })),
      ...notShared.map(({ file, reason }) => ({ notShared: file, reason })),
    ],
    () =>
      [
        ...(view.state === 'unreached'
          ? ['No server of the fleet answers.\n\n']
          : view.mayChange
            ? []
            : ['Your role in the fleet is viewer: you can read, and change nothing.\n\n']),
        table(
          ['replica', 'member'],
          rows.map(({ replica, member }) => [replica, member]),
        ) || 'No replica.\n',
        ...(members.length === 0
          ? []
          : [
              '\n',
              table(
                ['member', 'carries', 'works on', 'rate', 'last heard', 'reaches'],
                members.map(({ name, carries, isDraining, works, bytesPerSecond, heardSecondsAgo, reaches }) => [
                  name,
                  isDraining ? `${carries}, leaving` : carries,
                  works.join(', '),
                  bytesPerSecond === undefined ? undefined : `${bytes(bytesPerSecond)}/s`,
                  `${heardSecondsAgo} s ago`,
                  reaches.join(', '),
                ]),
              ),
            ]),
        ...(queue.length === 0
          ? []
          : [
              '\n',
              table(
                ['waiting', 'wave', 'urgent', 'since', 'for'],
                queue.map(({ queued, wave, isUrgent, since, waitsFor: what }) => [
                  queued,
                  wave,
                  isUrgent ? 'urgent' : undefined,
                  since,
                  what,
                ]),
              ),
            ]),
        ...(limited.length === 0
          ? []
          : [
              '\n',
              table(
                ['limit', 'in parallel', 'in use'],
                limited.map(({ limit, atOnce, inUse }) => [limit, atOnce, inUse]),
              ),
            ]),
        ...conflicts.map(
          ({ file: path }) => `${path} was changed here and elsewhere: causeway fleet resolve ${path}\n`,
        ),
        ...notShared.map(({ file, reason }) => `${JSON.stringify(file)} is not shared: ${notSharedBecause[reason]}\n`),
      ].join(''),
  );
  return 0;
}

/** Has a member take nothing new, or take work again. */
export async function fleetDrain(
  member: string,
  options: ProjectOptions & { readonly undo?: boolean },
  context: CommandContext,
): Promise<ExitStatus> {
  configOf(options, context);
  const isDraining = options.undo !== true;
  await withProject(options, context, (core) => core.call('fleet.drain', { member, isDraining }));
  context.stdout.write(
    isDraining ? `${member} ends what it has, and takes nothing new.\n` : `${member} takes work again.\n`,
  );
  return 0;
}

/** How many executions of the whole fleet may use something at the same time. */
export async function fleetLimit(
  name: string,
  given: string,
  options: ProjectOptions,
  context: CommandContext,
): Promise<ExitStatus> {
  const limit = given === 'none' ? null : Number(given);
  if (limit !== null && !(Number.isInteger(limit) && limit >= 1))
    throw new UsageError('the limit must be a number from 1, or none');
  const limits = await withProject(options, context, (core) => core.call('fleet.setLimit', { name, limit }));
  print(
    context,
    options,
    Object.entries(limits).map(([limited, atOnce]) => ({ limit: limited, atOnce })),
    () => table(['limit', 'in parallel'], Object.entries(limits)) || 'Nothing is limited.\n',
  );
  return 0;
}

/** Puts what waits of a replica before what is not urgent, or back. */
export async function fleetUrgent(
  replica: string,
  options: ProjectOptions & { readonly undo?: boolean },
  context: CommandContext,
): Promise<ExitStatus> {
  configOf(options, context);
  const isUrgent = options.undo !== true;
  await withProject(options, context, (core) => core.call('fleet.setUrgent', { replica, isUrgent }));
  context.stdout.write(
    isUrgent ? `${replica} starts before everything that is not urgent.\n` : `${replica} is no longer urgent.\n`,
  );
  return 0;
}

/** Holds the project open until it is interrupted. */
export async function fleetWork(options: ProjectOptions, context: CommandContext): Promise<ExitStatus> {
  configOf(options, context);
  await withProject({ ...options, staysOpen: true }, context, async (core) => {
    const stop = core.subscribe('execution.event', ({ at, message }) => context.stdout.write(`${at} ${message}\n`));
    context.stdout.write('Member of the fleet. Press Ctrl-C to stop, after what it has under way.\n');
    while (!context.signal.aborted) await systemClock.sleep(3_600_000, context.signal).catch(() => undefined);
    stop();
  });
  return 0;
}

/** Shows what two people have changed in the same file, and with a side decides which of them is everybody's. */
export async function fleetResolve(
  path: string,
  options: ProjectOptions & { readonly mine?: boolean; readonly theirs?: boolean },
  context: CommandContext,
): Promise<ExitStatus> {
  configOf(options, context);
  if (options.mine === true && options.theirs === true) throw new UsageError('--mine and --theirs exclude each other');
  return withProject(options, context, async (core) => {
    const conflict = (await core.call('fleet.conflicts', {})).find((one) => one.file === path);
    if (conflict === undefined) throw new UsageError(`${path} was not changed here and elsewhere`);
    if (options.mine !== true && options.theirs !== true) {
      print(context, options, [conflict], () =>
        [
          `--- ${path} here${conflict.mine === null ? ' (deleted)' : ''}\n+++ ${path} in the fleet${conflict.theirs === null ? ' (deleted)' : ''}\n`,
          ...lineDifference(conflict.mine ?? '', conflict.theirs ?? '').map(({ sign, line }) => `${sign}${line}\n`),
          'Decide with --mine or --theirs.\n',
        ].join(''),
      );
      return 1;
    }
    await core.call('fleet.decide', {
      file: path,
      side: options.mine === true ? 'mine' : 'theirs',
      revision: conflict.revision,
    });
    context.stdout.write(`${path} is the same on all members now.\n`);
    return 0;
  });
}

/** Reads all journals and says what must not be in them. */
export async function fleetVerify(options: ProjectOptions, context: CommandContext): Promise<ExitStatus> {
  configOf(options, context);
  const rows = await withProject(options, context, async (core) => {
    const names = new Map((await core.call('replica.list', {})).map(({ id, name }) => [id, name]));
    return (await core.call('fleet.verify', {})).map(({ replicaId, ...history }) => ({
      replica: names.get(replicaId) ?? replicaId,
      ...history,
    }));
  });
  print(context, options, rows, () =>
    [
      table(
        ['replica', 'records', 'epochs', 'problems', 'left behind'],
        rows.map((row) => [row.replica, row.records, row.epochs, row.problems.length, row.left.length]),
      ),
      ...rows.flatMap(({ replica, problems }) => problems.map((problem) => `${replica}: ${problem}\n`)),
    ].join(''),
  );
  return rows.some(({ problems }) => problems.length > 0) ? 1 : 0;
}
