import { z } from 'zod';
import type { MoverLink, MoverQuestion, MoverView, TrustedHostKey } from '../../shared/contract/mover-calls.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { hostKeyFingerprint } from '../engine/transport/host-keys.ts';
import { addMover } from '../movers/add-mover.ts';
import { answeredSecrets, QuestionForPerson } from '../movers/answered-secrets.ts';
import { moverBook, type Mover, type MoverBook } from '../movers/mover-book.ts';
import type { SshSecrets } from '../movers/mover-login.ts';
import { openAgainOnMover, openOnMover, type Installation } from '../movers/open-on-mover.ts';
import { isTrustedHostKey } from '../movers/trusted-host-keys.ts';
import { openRemoteProject, type RemoteProject } from './remote-project.ts';
import type { KeyValueFile } from './settings-store.ts';

/** The movers of this user, and the way to projects on them, as the workbench's process handles them. */
export interface MoverDesk {
  list(): MoverView[];
  add(
    asked: {
      readonly name: string;
      readonly destination: string;
      readonly identityFile?: string | undefined;
      readonly trusted: readonly TrustedHostKey[];
      readonly secrets: Answers;
    },
    signal: AbortSignal,
  ): Promise<{ question: MoverQuestion } | { mover: MoverView }>;
  remove(name: string): void;
  open(
    asked: { readonly mover: string; readonly folder: string; readonly create: boolean; readonly secrets: Answers },
    told: Told,
    signal: AbortSignal,
  ): Promise<{ question: MoverQuestion } | { remote: RemoteProject }>;
  /** Ends what `add` and `open` are doing. */
  cancel(): void;
}

type Answers = Readonly<Record<string, string>>;

interface Told {
  /** How far opening is. */
  readonly onLink: (link: MoverLink) => void;
  readonly onChange: () => void;
  readonly onEvent: (name: string, payload: unknown) => void;
}

/** What a wrong password or passphrase ends in. */
const refusals: readonly string[] = ['mover.login-refused', 'general.invalid-input'];

const seenSchema = z.record(z.string(), z.int()).catch({});

/** @param file the settings, where the last event that was seen of each project is kept */
export function moverDesk(installation: Installation, file: KeyValueFile, book: MoverBook = moverBook()): MoverDesk {
  /** What people have answered; in memory until the workbench closes, so that a broken link comes back by itself. */
  const answers = new Map<string, string>();
  const works = new Set<AbortController>();

  /** Keeps the answers that led to a connection. Those that were refused are dropped, also if they were right before: the next attempt asks again. */
  async function signingIn<T>(given: Answers, attempt: (secrets: SshSecrets) => Promise<T>): Promise<T> {
    const all = { ...Object.fromEntries(answers), ...given };
    const used = new Set<string>();
    try {
      const value = await attempt(
        answeredSecrets(process.env['SSH_AUTH_SOCK'] || undefined, all, (key) => used.add(key)),
      );
      for (const key of used) answers.set(key, all[key] ?? '');
      return value;
    } catch (error) {
      if (error instanceof CausewayError && refusals.includes(error.code)) for (const key of used) answers.delete(key);
      throw error;
    }
  }

  async function asking<T>(
    signal: AbortSignal,
    attempt: (during: AbortSignal) => Promise<T>,
  ): Promise<{ question: MoverQuestion } | { value: T }> {
    const work = new AbortController();
    works.add(work);
    try {
      return { value: await attempt(AbortSignal.any([signal, work.signal])) };
    } catch (error) {
      if (error instanceof QuestionForPerson) return { question: error.question };
      throw error;
    } finally {
      works.delete(work);
    }
  }

  return {
    list: () => book.list().map(viewOf),
    async add({ name, destination, identityFile, trusted, secrets }, signal) {
      const confirm = async ({ host, port }: { host: string; port: number }, fingerprint: string): Promise<boolean> => {
        if (isTrustedHostKey(trusted, { host, port }, fingerprint)) return true;
        throw new QuestionForPerson({ kind: 'host-key', host, port, fingerprint });
      };
      const answer = await asking(signal, (during) =>
        signingIn(secrets, (ssh) => addMover(book, { name, destination, identityFile }, ssh, confirm, during)),
      );
      return 'question' in answer ? answer : { mover: viewOf(answer.value) };
    },
    remove: (name) => book.remove(name),
    async open({ mover, folder, create, secrets }, { onLink, onChange, onEvent }, signal) {
      const found = book.get(mover);
      // The folder as the mover has it: the same project may be named in several ways.
      const keyOf = (there: string): string => `${mover} ${there}`;
      let isOpen = false;
      const answer = await asking(signal, (during) =>
        openRemoteProject(
          {
            mover,
            connect: (stop, before) =>
              signingIn(before === undefined ? secrets : {}, (ssh) =>
                before === undefined
                  ? openOnMover(
                      found,
                      ssh,
                      installation,
                      { project: folder, mayCreate: create },
                      (step) => onLink({ name: mover, ...step }),
                      stop,
                    )
                  : openAgainOnMover(found, ssh, before, stop),
              ),
            lastSeen: {
              read: (there) => seenSchema.parse(file.get('moverEvents') ?? {})[keyOf(there)],
              write: (there, id) =>
                file.set('moverEvents', { ...seenSchema.parse(file.get('moverEvents') ?? {}), [keyOf(there)]: id }),
            },
            onChange: () => void (isOpen && onChange()),
            onEvent: (name, payload) => void (isOpen && onEvent(name, payload)),
          },
          during,
        ),
      );
      if ('question' in answer) return answer;
      isOpen = true;
      return { remote: answer.value };
    },
    cancel: () => works.forEach((work) => work.abort()),
  };
}

function viewOf({ name, jumpHosts, ...target }: Mover): MoverView {
  const shown = ({ host, port, username, hostKey }: Mover['jumpHosts'][number]): MoverView['jumpHosts'][number] => ({
    host,
    port,
    username,
    fingerprint: hostKeyFingerprint(hostKey),
  });
  return { name, ...shown(target), jumpHosts: jumpHosts.map(shown) };
}
