import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import {
  guestDiffSchema,
  guestDossierSchema,
  guestStepSchema,
  scriptOutputSchema,
  type GuestDiff,
  type GuestDossier,
  type GuestStep,
  type ScriptOutput,
} from '../../../shared/model/guest-preparation.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { SshConnection } from '../transport/ssh-connection.ts';
import { luksKey, parsed } from './inspection.ts';
import type { MorphOptions, MorphStepEvent, UserScript } from './options.ts';
import { bringPackages } from './package-cache.ts';
import { programArchive } from './program-archive.ts';
import { WorkerProgram, type ProgramCommand } from './worker-program.ts';

export interface MorphRequest {
  /** To the OSMorphing worker. It stays open. */
  readonly ssh: SshConnection;
  /** Paths of the VM's disks on the worker, in the VM's own order, the boot disk first. */
  readonly devices: readonly string[];
  readonly options: MorphOptions;
  readonly onStep?: (event: MorphStepEvent) => void;
  readonly onLog?: (line: string) => void;
  readonly signal: AbortSignal;
  /** Folder of the program that runs on the worker, if not the one that comes with Causeway. */
  readonly programFolder?: string;
}

/** What was found and done; kept with the deployment. */
export interface MorphOutcome {
  readonly dossier: GuestDossier;
  readonly steps: readonly GuestStep[];
  readonly diff: GuestDiff;
  readonly warnings: readonly string[];
  readonly scripts: readonly ScriptOutput[];
  /** Static IPv4 addresses that the guest's configuration sets on the destination's NICs. Empty with `setDhcp`. */
  readonly fixedAddresses: readonly {
    readonly macAddress?: string | null | undefined;
    /** Index in the options' `nics`. */ readonly nic?: number | undefined;
    readonly addresses: readonly string[];
  }[];
  /** Of the whole preparation, from the upload to the last unmount. */
  readonly seconds: number;
}

const minute = 60_000;
const timeouts = { mount: 90 * minute, prepare: 180 * minute, unmount: 10 * minute } as const;

/** What is different between the kinds of guests that a Linux worker prepares. */
export interface ProgramKind {
  readonly mount: ProgramCommand;
  readonly prepare: ProgramCommand;
  /** What `prepare` is asked; may bring files to the worker. */
  readonly wishes: (program: WorkerProgram, options: MorphOptions, signal: AbortSignal) => Promise<JsonObject>;
}

const mountResult = z.object({ dossier: guestDossierSchema });
const prepareResult = z.object({
  steps: z.array(guestStepSchema),
  diff: guestDiffSchema,
  outputs: z.array(scriptOutputSchema),
  fixedAddresses: z
    .array(z.object({ macAddress: z.string().nullish(), nic: z.int().optional(), addresses: z.array(z.string()) }))
    .default([]),
});
const scriptResult = z.object({ outputs: z.array(scriptOutputSchema) });

/**
 * Prepares the Linux installation on attached disks for its new platform. In any case the guest is unmounted
 * afterwards (unless `keepMountedOnFailure`); with the connection lost the worker does that by itself. May be repeated:
 * a second preparation changes nothing.
 *
 * @throws `osmorphing.*`, `transport.*`, or the signal's reason
 */
export function morphLinuxGuest(request: MorphRequest): Promise<MorphOutcome> {
  return morphByProgram(request, { mount: 'mount', prepare: 'prepare', wishes: preparation });
}

/** Prepares a guest of a kind by the program on the worker, as `morphLinuxGuest` says. */
export async function morphByProgram(request: MorphRequest, kind: ProgramKind): Promise<MorphOutcome> {
  const { options, devices, signal, ssh } = request;
  const startedAt = performance.now();
  const { program, warnings } = await placeProgram(request);
  const scripts: ScriptOutput[] = [];
  const disks = {
    devices,
    ...(options.root === undefined ? {} : { root: options.root }),
    luksKeys: (options.luksKeys ?? []).map(luksKey),
  };
  let failed = true;
  let isKept = false;
  try {
    const prepareRequest = await kind.wishes(program, options, signal);
    const before = options.scripts?.beforeMount ?? [];
    if (before.length > 0) {
      const run = () =>
        program.run('script', { devices, scripts: before.map(userScript) }, signal, scriptTimeoutMs(before));
      scripts.push(
        ...parsed(scriptResult, await asStep(request, 'scripts-before-mount', 'Run scripts on the worker', run))
          .outputs,
      );
    }
    const { dossier } = parsed(mountResult, await program.run(kind.mount, disks, signal, timeouts.mount));
    const prepared = parsed(prepareResult, await program.run(kind.prepare, prepareRequest, signal, timeouts.prepare));
    scripts.push(...prepared.outputs);
    failed = false;
    await unmount(program);
    return {
      dossier,
      steps: prepared.steps,
      diff: prepared.diff,
      warnings,
      scripts,
      fixedAddresses: prepared.fixedAddresses,
      seconds: (performance.now() - startedAt) / 1000,
    };
  } catch (error) {
    isKept = options.keepMountedOnFailure === true && !signal.aborted;
    // The failure is the result; a failed unmount is reported in addition.
    if (failed && !isKept && !ssh.lost.aborted)
      await unmount(program).catch((left: unknown) => request.onLog?.(String(left)));
    if (isKept)
      request.onLog?.(`the guest stays mounted at ${program.mountPoint}; \`${program.unmountCommand}\` unmounts it`);
    throw error;
  } finally {
    if (!isKept) await program.remove();
  }
}

/** Puts the program on the worker. */
export async function placeProgram(
  request: Omit<MorphRequest, 'options'>,
): Promise<{ program: WorkerProgram; warnings: string[] }> {
  const warnings: string[] = [];
  const listener = {
    onStep: (event: MorphStepEvent) => request.onStep?.(event),
    onLog: (line: string) => request.onLog?.(line),
    onWarning: (message: string) => {
      warnings.push(message);
      request.onLog?.(message);
    },
  };
  const archive = await programArchive(request.programFolder);
  return { program: await WorkerProgram.place(request.ssh, archive, listener, request.signal), warnings };
}

/** Not stopped by the caller's signal: what was mounted has to be unmounted, above all after a cancel. */
export async function unmount(program: WorkerProgram): Promise<void> {
  await program.run('unmount', {}, new AbortController().signal, timeouts.unmount);
}

/** Wishes that guests of all kinds have in common. */
export function commonWishes(options: MorphOptions): JsonObject {
  return {
    setDhcp: options.setDhcp ?? true,
    retainUserCredentials: options.retainUserCredentials ?? false,
    preserveHostname: options.preserveHostname ?? true,
    serialConsole: options.serialConsole ?? true,
    hypervisor: options.hypervisor ?? 'kvm',
    cloudInit: options.cloudInit ?? 'required',
    ...(options.diskBuses === undefined ? {} : { diskBuses: [...options.diskBuses] }),
    nics: options.nics.map(({ macAddress, sourceMacAddress, addresses }) => ({
      macAddress: macAddress ?? null,
      sourceMacAddress: sourceMacAddress ?? null,
      addresses: addresses ?? [],
    })),
    scripts: {
      inGuest: (options.scripts?.inGuest ?? []).map(userScript),
      firstBoot: (options.scripts?.firstBoot ?? []).map(userScript),
    },
    ...(options.datasources === undefined ? {} : { datasources: options.datasources }),
    ...(options.httpProxy === undefined ? {} : { httpProxy: options.httpProxy }),
  };
}

async function preparation(program: WorkerProgram, options: MorphOptions, signal: AbortSignal): Promise<JsonObject> {
  const { packageCache, unbindVolumes = false, luksKeys = [] } = options;
  return {
    ...commonWishes(options),
    ...(unbindVolumes ? { unbindVolumes, luksKeys: luksKeys.map(luksKey) } : {}),
    ...(packageCache === undefined ? {} : { packageCache: await bringPackages(program, packageCache, signal) }),
    ...(await agentWish(program, options, signal)),
  };
}

/** The destination's agent. Of which format it is, its name tells. */
export async function agentWish(
  program: WorkerProgram,
  { agent }: MorphOptions,
  signal: AbortSignal,
): Promise<JsonObject> {
  if (agent === undefined) return {};
  if (!('file' in agent))
    return { agent: { url: agent.url, sha256: agent.sha256 ?? null, architecture: agent.architecture ?? null } };
  const ending = /\.(?:deb|rpm|msi)$/i.exec(agent.file)?.[0].toLowerCase() ?? '';
  return { agent: { path: await program.putFile(`agent${ending}`, await readGiven(agent.file), signal) } };
}

async function readGiven(file: string): Promise<Buffer> {
  return readFile(file).catch((error: unknown) => {
    throw new CausewayError('general.invalid-input', `${file} cannot be read`, { cause: error });
  });
}

async function asStep<T>(request: MorphRequest, step: string, title: string, run: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const tell = (state: MorphStepEvent['state']): void => {
    request.onStep?.({
      step,
      title,
      state,
      ...(state === 'running' ? {} : { seconds: (performance.now() - startedAt) / 1000 }),
    });
  };
  tell('running');
  try {
    const result = await run();
    tell('done');
    return result;
  } catch (error) {
    tell('failed');
    throw error;
  }
}

const userScript = ({ name, content, timeoutSeconds }: UserScript): JsonObject => ({
  name,
  content,
  timeoutSeconds: timeoutSeconds ?? 600,
});

const scriptTimeoutMs = (scripts: readonly UserScript[]): number =>
  scripts.reduce((sum, { timeoutSeconds }) => sum + (timeoutSeconds ?? 600) * 1000, minute);
