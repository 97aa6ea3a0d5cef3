import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isCallName } from '../../shared/contract/contract.ts';
import type { Envelope } from '../../shared/contract/envelope.ts';
import type { CommandId } from '../../shared/contract/commands.ts';
import type { MoverLink } from '../../shared/contract/mover-calls.ts';
import {
  isShellCall,
  shellCalls,
  type EngineState,
  type Project,
  type ShellCallName,
  type Settings,
  type ShellInfo,
} from '../../shared/contract/shell.ts';
import { CausewayError, toErrorRecord } from '../../shared/model/causeway-error.ts';
import { confinedPage } from '../../shared/reports/escape-html.ts';
import { issueLine } from '../../shared/schema/issue-line.ts';
import { testConnection } from '../engine/http/connection-test.ts';
import { networkFacts } from '../engine/http/network-facts.ts';
import { checkProxySettings, proxies, type ProxySettingsWithPassword } from '../engine/http/proxies.ts';
import { ensureStateFolder } from '../engine/store/database.ts';
import type { Installation } from '../movers/open-on-mover.ts';
import type { KeyStore } from '../secrets/key-store.ts';
import { chosenFolders } from './chosen-folders.ts';
import { queueSchema as shellQueueSchema } from '../../shared/contract/schemas.ts';
import { removeFleetConfig } from '../fleet/fleet-config.ts';
import { superviseEngine, type EngineSupervisor } from './engine-supervisor.ts';
import type { SpawnEngine } from './engine-process.ts';
import { moverDesk } from './mover-desk.ts';
import { pdfByBrowser } from './pdf-by-browser.ts';
import { changeShare, joinFleetFromPage, membershipOf } from './fleet-membership.ts';
import { createProject, readProject } from './project-file.ts';
import { openProjectVault, type ProjectVault } from './project-vault.ts';
import { proxyPassword } from './proxy-password.ts';
import type { RemoteProject } from './remote-project.ts';
import type { SampleLab } from './sample-lab.ts';
import { sampleOffer, type SampleOffer } from './sample-project.ts';
import type { SettingsStore } from './settings-store.ts';

/** What carriers serve: the workbench's own calls and, through it, the engine's. */
export interface Shell {
  dispatch(name: string, input: unknown, signal: AbortSignal): Promise<Envelope<unknown>>;
  subscribe(name: string, listener: (payload: never) => void): () => void;
  /** Opens a project that a person named outside the page, for example on the command line. Rejects with `CausewayError`. */
  openNamed(folder: string): Promise<void>;
  /** Asks the page to carry out a command of the menu bar. */
  command(command: CommandId): void;
  /** The computer was asleep: the engine and the page are notified. */
  woke(asleepMs: number): void;
  /** Ends the engine in good order: what runs is cancelled and can go on later. */
  close(): Promise<void>;
}

export interface ShellOptions {
  readonly host: ShellInfo['host'];
  readonly version: string;
  readonly settings: SettingsStore;
  readonly spawn: SpawnEngine;
  /** A native dialog; undefined where there is none. With it, the page can name chosen folders only. */
  readonly chooseFolder?: () => Promise<string | undefined>;
  /** The operating system's key store; undefined where it can't be reached. */
  readonly keyStore?: KeyStore;
  /** Prints a page; by a browser of this computer where it is left out. */
  readonly printPdf?: (html: string, signal: AbortSignal) => Promise<Uint8Array>;
  /** A lab to try the workbench on; undefined where there is none. */
  readonly sample?: SampleLab;
  /** Where engines for movers are; undefined on a mover itself, from which no other one is reached. */
  readonly installation?: Pick<Installation, 'application' | 'archive'>;
}

/** The workbench behind its page: one project at a time, its engine in a process of its own. */
export function createShell(options: ShellOptions): Shell {
  const listeners = new Map<string, Set<(payload: never) => void>>();
  let project: Project | undefined;
  let engine: EngineSupervisor | undefined;
  let engineState: EngineState = { state: 'none', restarts: 0 };
  let vault: ProjectVault | undefined;
  let remote: RemoteProject | undefined;
  /** While a project on a mover is being opened. */
  let opening: MoverLink | undefined;
  // A path on a mover says nothing about this computer's disk.
  const folders = chosenFolders(() =>
    options.settings
      .recent()
      .filter(({ mover }) => mover === undefined)
      .map(({ folder }) => folder),
  );

  const emit = (name: string, payload: unknown): void => {
    for (const listener of listeners.get(name) ?? []) listener(payload as never);
  };
  const info = (): ShellInfo => ({
    host: options.host,
    version: options.version,
    platform: process.platform,
    ...(project === undefined ? {} : { project }),
    engine: engineState,
    ...(vault === undefined ? {} : { vault: vault.describe() }),
    ...(sample === undefined ? {} : { sample: sample.state() }),
    ...moverLink(),
  });
  const moverLink = (): Pick<ShellInfo, 'mover'> => {
    const link = opening ?? remote?.link;
    return link === undefined ? {} : { mover: link };
  };
  const openVault = (): ProjectVault => {
    if (vault === undefined) throw new CausewayError('general.invalid-input', 'no project is open');
    return vault;
  };
  /** The page may name what a person has chosen in a dialog; a host without dialogs takes its word. */
  const allowed = (folder: string): string => {
    if (options.chooseFolder !== undefined) folders.check(folder);
    return folder;
  };

  const password = proxyPassword(options.settings.file, options.keyStore);
  /** This process tests connections by the same settings as the engine makes them. */
  async function useProxies(): Promise<ProxySettingsWithPassword> {
    const settings = { ...options.settings.settings().proxy, password: await password.read() };
    if (!isDeepStrictEqual(settings, proxies.settings)) proxies.use(settings);
    return settings;
  }
  async function handOverProxies(): Promise<void> {
    engine?.useProxies(await useProxies());
    emit('shell.changed', info());
  }

  async function startEngine(opened: Project): Promise<void> {
    engine = await superviseEngine({
      spawn: options.spawn,
      start: {
        projectFolder: opened.folder,
        executionLimit: options.settings.settings().executionLimit,
        proxies: await useProxies(),
        ...vault?.forEngine(),
      },
      onState(state) {
        engineState = state;
        emit('shell.changed', info());
      },
      onEvent: emit,
    });
    engineState = engine.state;
  }

  async function stopEngine(): Promise<void> {
    const ending = engine;
    engine = undefined;
    remote = undefined;
    try {
      await ending?.stop();
    } finally {
      // Of a project on a mover nobody says it any more.
      if (engineState.state !== 'none') {
        engineState = { state: 'none', restarts: 0 };
        emit('shell.changed', info());
      }
    }
  }

  /** The workbench closes: nothing is opened any more. */
  const closing = new AbortController();

  const desk =
    options.installation === undefined
      ? undefined
      : moverDesk({ version: options.version, ...options.installation }, options.settings.file);
  const movers = (): NonNullable<typeof desk> => {
    if (desk === undefined)
      throw new CausewayError('general.invalid-input', 'movers are reached from the workbench of a person only');
    return desk;
  };

  /** The project that is open stays open until the other one is. */
  async function openOnMover(
    asked: Parameters<NonNullable<typeof desk>['open']>[0],
    signal: AbortSignal,
  ): Promise<object> {
    const showOpening = (link: MoverLink | undefined): void => {
      opening = link;
      emit('shell.changed', info());
    };
    const onChange = (): void => {
      engineState = remote?.engine.state ?? engineState;
      emit('shell.changed', info());
    };
    try {
      const answer = await movers().open(
        asked,
        { onLink: showOpening, onChange, onEvent: emit },
        AbortSignal.any([signal, closing.signal]),
      );
      if ('question' in answer) return answer;
      try {
        await stopEngine();
      } catch (error) {
        await answer.remote.engine.stop();
        throw error;
      }
      remote = answer.remote;
      ({ project, engine, vault } = remote);
      engineState = engine.state;
      options.settings.remember(project);
      return { project };
    } finally {
      showOpening(undefined);
    }
  }

  async function open(next: Project): Promise<Project> {
    await stopEngine();
    project = next;
    try {
      vault = await openProjectVault(join(ensureStateFolder(next.folder), 'vault.json'), options.keyStore);
      await startEngine(next);
    } catch (error) {
      project = undefined;
      vault = undefined;
      engineState = { state: 'none', restarts: 0 };
      throw error;
    } finally {
      emit('shell.changed', info());
    }
    options.settings.remember(next);
    return next;
  }

  /** The engine that runs gets it too: a vault that is unlocked late requires no restart. */
  function handOverKeys(): object {
    engine?.unlock(openVault().forEngine());
    emit('shell.changed', info());
    return {};
  }

  /** An engine joins its fleet when it starts. What runs would be cancelled, so that nothing may. */
  async function changeFleet(
    change: (folder: string, nothingRuns: () => Promise<void>) => Promise<void>,
  ): Promise<object> {
    const opened = project;
    if (opened === undefined || opened.mover !== undefined)
      throw new CausewayError('general.invalid-input', 'no project on this computer is open');
    await nothingRuns();
    await change(opened.folder, nothingRuns);
    await stopEngine();
    await startEngine(opened);
    emit('shell.changed', info());
    return {};
  }

  /** @throws CausewayError `fleet.runs-active` where executions or deployments run or wait */
  async function nothingRuns(): Promise<void> {
    const answer = await engine?.dispatch('queue.show', {}, closing.signal);
    const queue = answer?.ok === true ? shellQueueSchema.parse(answer.value) : undefined;
    if (
      queue !== undefined &&
      queue.executions.running + queue.executions.waiting + queue.deployments.running + queue.deployments.waiting > 0
    ) {
      throw new CausewayError(
        'fleet.runs-active',
        `${queue.executions.running} executions and ${queue.deployments.running} deployments run`,
      );
    }
  }

  /** Opening and closing happen one after the other, however fast the user clicks. */
  let turn: Promise<unknown> = Promise.resolve();
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return mine;
  }

  async function closeProject(): Promise<void> {
    await stopEngine();
    project = undefined;
    vault = undefined;
    engineState = { state: 'none', restarts: 0 };
    emit('shell.changed', info());
  }

  const sample =
    options.sample === undefined
      ? undefined
      : sampleOffer({
          lab: options.sample,
          onChange: () => emit('shell.changed', info()),
          openProject: ({ project: folder, passphrase }) =>
            inTurn(async () => {
              folders.add(folder);
              await open(readProject(folder));
              await openVault().unlock(passphrase);
              handOverKeys();
            }),
        });
  const offered = (): SampleOffer => {
    if (sample === undefined) throw new CausewayError('general.invalid-input', 'no sample project is available');
    return sample;
  };

  const handlers: { readonly [N in ShellCallName]: (input: never, signal: AbortSignal) => unknown } = {
    'shell.info': () => info(),
    'shell.settings': () => options.settings.settings(),
    async 'shell.network'() {
      await useProxies();
      return { ...(await networkFacts()), passwordKept: password.kept };
    },
    async 'shell.testConnection'({ address }: { address: string }, signal: AbortSignal) {
      await useProxies();
      // What failed before may work by now, and somebody waits for the answer.
      proxies.forget();
      return testConnection(address, signal);
    },
    async 'shell.printPdf'({ html }: { html: string }, signal: AbortSignal) {
      return {
        pdf: Buffer.from(await (options.printPdf ?? pdfByBrowser)(confinedPage(html), signal)).toString('base64'),
      };
    },
    async 'shell.setProxyPassword'({ password: given }: { password: string }) {
      await password.write(given);
      await handOverProxies();
      return {};
    },
    async 'shell.changeSettings'(part: Partial<Settings>) {
      if (part.proxy !== undefined) checkProxySettings(part.proxy);
      const settings = options.settings.change(part);
      if (part.proxy !== undefined) await handOverProxies();
      // Every page of this workbench shows the same settings.
      emit('shell.changed', info());
      return settings;
    },
    'project.recent': () =>
      options.settings.recent().filter(({ folder, mover }) => mover !== undefined || existsSync(folder)),
    'project.create': ({ folder, name }: { folder: string; name: string }) =>
      inTurn(async () => open(createProject(allowed(folder), name))),
    'project.open': ({ folder }: { folder: string }) => inTurn(async () => open(readProject(allowed(folder)))),
    'project.close': () => inTurn(async () => (await closeProject(), {})),
    'project.forget'({ folder, mover }: { folder: string; mover?: string }) {
      options.settings.forget(folder, mover);
      return {};
    },
    async 'project.chooseFolder'() {
      const folder = await options.chooseFolder?.();
      if (folder !== undefined) folders.add(folder);
      return folder === undefined ? {} : { folder };
    },
    'sample.open'() {
      offered().open();
      return {};
    },
    async 'sample.end'() {
      const state = offered().state();
      if (state.state === 'running') {
        await inTurn(
          async () => project?.folder === state.project && project.mover === undefined && (await closeProject()),
        );
        options.settings.forget(state.project);
      }
      await offered().end();
      return {};
    },
    async 'vault.create'({ passphrase }: { passphrase?: string }) {
      await openVault().create(passphrase);
      return handOverKeys();
    },
    async 'vault.unlock'({ passphrase }: { passphrase: string }) {
      await openVault().unlock(passphrase);
      return handOverKeys();
    },
    'fleet.membership'() {
      const isHere = project !== undefined && project.mover === undefined;
      const membership = isHere ? membershipOf(project!.folder) : undefined;
      return { canChange: isHere, ...(membership === undefined ? {} : { membership }) };
    },
    'fleet.join': (asked: Parameters<typeof joinFleetFromPage>[1]) =>
      inTurn(() => changeFleet((folder, nothingRuns) => joinFleetFromPage(folder, asked, nothingRuns))),
    'fleet.changeShare': (share: Parameters<typeof changeShare>[1]) =>
      inTurn(() => changeFleet(async (folder) => changeShare(folder, share))),
    'fleet.leave': () => inTurn(() => changeFleet(async (folder) => removeFleetConfig(folder))),
    'mover.list': () => desk?.list() ?? [],
    'mover.add': (asked: Parameters<NonNullable<typeof desk>['add']>[0], signal: AbortSignal) =>
      movers().add(asked, signal),
    'mover.remove': ({ name }: { name: string }) => (movers().remove(name), {}),
    'mover.openProject': (asked: Parameters<NonNullable<typeof desk>['open']>[0], signal: AbortSignal) =>
      inTurn(() => openOnMover(asked, signal)),
    'mover.cancel': () => (desk?.cancel(), {}),
    'mover.reconnect': () => (remote?.reconnect(), {}),
    'mover.dismissMeanwhile': () => (remote?.dismissMeanwhile(), {}),
  };

  return {
    async dispatch(name, input, signal) {
      try {
        if (isShellCall(name)) return { ok: true, value: await handlers[name](checked(name, input) as never, signal) };
        if (!isCallName(name)) throw new CausewayError('engine.unknown-call', name);
        if (engine === undefined) throw new CausewayError('engine.connection-lost', 'no project is open');
        return await engine.dispatch(name, input, signal);
      } catch (error) {
        return { ok: false, error: toErrorRecord(error) };
      }
    },
    subscribe(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      return () => void set.delete(listener);
    },
    openNamed(folder) {
      folders.add(folder);
      return inTurn(async () => void (await open(readProject(folder))));
    },
    command: (command) => emit('shell.command', { command }),
    woke(asleepMs) {
      engine?.woke(asleepMs);
      emit('shell.woke', { asleepMs });
    },
    async close() {
      closing.abort();
      await inTurn(stopEngine);
      await sample?.end();
    },
  };
}

/** The input by the table; messages name the place and never repeat the value, which may be a passphrase. */
function checked(name: ShellCallName, input: unknown): unknown {
  const parsed = shellCalls[name].input.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => issueLine(issue, input, 'the input'));
  throw new CausewayError('general.invalid-input', `${name}: ${issues.join('; ')}`);
}
