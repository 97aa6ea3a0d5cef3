import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isCallName } from '../../shared/contract/contract.ts';
import type { Envelope } from '../../shared/contract/envelope.ts';
import { isShellCall, shellCalls, type EngineState, type Project, type ShellCallName, type ShellInfo } from '../../shared/contract/shell.ts';
import { CausewayError, toErrorRecord } from '../../shared/model/causeway-error.ts';
import { ensureStateFolder } from '../engine/store/database.ts';
import { passphraseWrapper } from '../secrets/passphrase-wrapper.ts';
import { createVault, openVault } from '../secrets/vault.ts';
import { superviseEngine, type EngineSupervisor } from './engine-supervisor.ts';
import type { SpawnEngine } from './engine-process.ts';
import { createProject, readProject } from './project-file.ts';
import type { SettingsStore } from './settings-store.ts';

/** What carriers serve: the workbench's own calls and, through it, the engine's. */
export interface Shell {
  dispatch(name: string, input: unknown, signal: AbortSignal): Promise<Envelope<unknown>>;
  subscribe(name: string, listener: (payload: never) => void): () => void;
  close(): Promise<void>;
}

export interface ShellOptions {
  readonly host: ShellInfo['host'];
  readonly version: string;
  readonly settings: SettingsStore;
  readonly spawn: SpawnEngine;
  /** A native dialog; undefined where there is none. */
  readonly chooseFolder?: () => Promise<string | undefined>;
}

/** The workbench behind its page: one project at a time, its engine in a process of its own. */
export function createShell(options: ShellOptions): Shell {
  const listeners = new Map<string, Set<(payload: never) => void>>();
  let project: Project | undefined;
  let engine: EngineSupervisor | undefined;
  let engineState: EngineState = { state: 'none', restarts: 0 };
  let passphrase: string | undefined;

  const emit = (name: string, payload: unknown): void => {
    for (const listener of listeners.get(name) ?? []) listener(payload as never);
  };
  const info = (): ShellInfo => ({
    host: options.host,
    version: options.version,
    platform: process.platform,
    ...(project === undefined ? {} : { project }),
    engine: engineState,
  });
  const vaultPath = (): string => {
    if (project === undefined) throw new CausewayError('general.invalid-input', 'no project is open');
    return join(ensureStateFolder(project.folder), 'vault.json');
  };

  async function startEngine(opened: Project): Promise<void> {
    engine = await superviseEngine({
      spawn: options.spawn,
      start: {
        projectFolder: opened.folder,
        executionLimit: options.settings.settings().executionLimit,
        ...(passphrase === undefined ? {} : { passphrase }),
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
    await ending?.stop();
  }

  async function open(next: Project): Promise<Project> {
    await stopEngine();
    project = next;
    passphrase = undefined;
    try {
      await startEngine(next);
    } catch (error) {
      project = undefined;
      throw error;
    } finally {
      emit('shell.changed', info());
    }
    options.settings.remember(next);
    return next;
  }

  /** The engine holds the passphrase from its start on, so a vault that is opened later starts it anew. */
  async function unlockWith(words: string): Promise<object> {
    passphrase = words;
    await stopEngine();
    await startEngine(project!);
    emit('shell.changed', info());
    return {};
  }

  const handlers: { readonly [N in ShellCallName]: (input: never) => unknown } = {
    'shell.info': () => info(),
    'shell.settings': () => options.settings.settings(),
    'shell.changeSettings': (part: object) => options.settings.change(part),
    'project.recent': () => options.settings.recent().filter(({ folder }) => existsSync(folder)),
    'project.create': ({ folder, name }: { folder: string; name: string }) => open(createProject(folder, name)),
    'project.open': ({ folder }: { folder: string }) => open(readProject(folder)),
    async 'project.close'() {
      await stopEngine();
      project = undefined;
      engineState = { state: 'none', restarts: 0 };
      emit('shell.changed', info());
      return {};
    },
    'project.forget'({ folder }: { folder: string }) {
      options.settings.forget(folder);
      return {};
    },
    async 'project.chooseFolder'() {
      const folder = await options.chooseFolder?.();
      return folder === undefined ? {} : { folder };
    },
    async 'vault.create'({ passphrase: words }: { passphrase: string }) {
      await createVault(vaultPath(), passphraseWrapper(words));
      return unlockWith(words);
    },
    async 'vault.unlock'({ passphrase: words }: { passphrase: string }) {
      const vault = openVault(vaultPath(), async () => passphraseWrapper(words));
      const { exists, locked } = await vault.status();
      if (!exists) throw new CausewayError('secrets.no-vault', 'this project has no vault yet');
      if (locked) throw new CausewayError('secrets.wrong-passphrase', 'the passphrase does not open this vault');
      return unlockWith(words);
    },
  };

  return {
    async dispatch(name, input, signal) {
      try {
        if (isShellCall(name)) return { ok: true, value: await handlers[name](checked(name, input) as never) };
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
    close: stopEngine,
  };
}

/** The input by the table; messages name the place and never repeat the value, which may be a passphrase. */
function checked(name: ShellCallName, input: unknown): unknown {
  const parsed = shellCalls[name].input.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
  throw new CausewayError('general.invalid-input', `${name}: ${issues.join('; ')}`);
}
