import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { retryDelayMs } from '../../../http/retry-after.ts';
import { isFault, localizedFault } from './fault.ts';
import { letGo, readObject } from './properties.ts';
import { data, objectOf, refer, value, type ManagedObject } from './request.ts';
import type { VimSession } from './session.ts';
import { childOf, childrenOf, integerAt, textAt, type XmlElement } from './xml.ts';

/** How long the server holds a request for news of a task at most before it answers that there is none; well below what a request may take. */
const longestWaitSeconds = 30;

export interface TaskOutcome {
  /** What the task made, e.g. a snapshot. */
  readonly result: ManagedObject | undefined;
}

/**
 * Waits until a task of the server has ended, told by the server itself. A session that ends meanwhile is renewed: the task
 * goes on without it.
 *
 * @param operation what the task does, in a few words: it stands in the error
 * @throws the task's fault; `general.deadline`
 */
export async function awaitTask(
  session: VimSession,
  task: ManagedObject,
  operation: string,
  signal: AbortSignal,
  options: { readonly deadlineMs?: number; readonly onProgress?: (percent: number) => void } = {},
): Promise<TaskOutcome> {
  const end = session.clock.monotonic() + (options.deadlineMs ?? 24 * 3600_000);
  for (let attempt = 1; ; attempt += 1) {
    const info = await infoOnceOver(session, task, operation, end, options.onProgress, signal);
    if (info === undefined) {
      if (session.clock.monotonic() > end) throw stillRunning(operation, task);
      await session.clock.sleep(retryDelayMs(session.backOff, attempt, undefined, session.random), signal);
      continue;
    }
    if (textAt(info, 'state') === 'error') throw localizedFault(operation, childOf(info, 'error'));
    return { result: objectOf(childOf(info, 'result')) };
  }
}

/** The info of a task that has ended; undefined when the wait has to begin anew, because the session ended or an answer was lost. */
async function infoOnceOver(
  session: VimSession,
  task: ManagedObject,
  operation: string,
  end: number,
  onProgress: ((percent: number) => void) | undefined,
  signal: AbortSignal,
): Promise<XmlElement | undefined> {
  const content = await session.content(signal);
  // A collector for this wait alone: the versions of a shared one would go to whoever asks first.
  const collector = await session.callForObject(
    'CreatePropertyCollector',
    content.object('propertyCollector'),
    [],
    signal,
  );
  try {
    const spec = data('spec', [
      data('propSet', [value('type', 'Task'), value('all', false), value('pathSet', 'info')]),
      data('objectSet', [refer('obj', task), value('skip', false)]),
    ]);
    await session.call('CreateFilter', collector, [spec, value('partialUpdates', false)], signal);
    const waitSeconds = Math.max(1, Math.min(longestWaitSeconds, Math.floor(session.timeoutMs / 4000)));
    let version = '';
    for (;;) {
      const parts = [value('version', version), data('options', [value('maxWaitSeconds', waitSeconds)])];
      const answer = await session
        .call('WaitForUpdatesEx', collector, parts, signal, { repeatable: false })
        .catch((error: unknown) => {
          if (isAnswerLost(error) && !signal.aborted) return undefined;
          throw error;
        });
      // It may have had the news, and not every server tells them twice.
      if (answer === undefined) return undefined;
      const update = answer.find(({ name }) => name === 'returnval');
      version = textAt(update, 'version') ?? version;
      const infos = update === undefined ? [await infoNow(session, task, signal)] : infosOf(update);
      for (const info of infos) {
        const state = textAt(info, 'state');
        if (info !== undefined && (state === 'success' || state === 'error')) return info;
        const progress = integerAt(info, 'progress');
        if (progress !== undefined) onProgress?.(progress);
      }
      if (session.clock.monotonic() > end) throw stillRunning(operation, task);
    }
  } catch (error) {
    // The collector went with its session.
    if (
      isFault(error, 'ManagedObjectNotFound', 'InvalidCollectorVersion') &&
      !(await isTaskGone(session, task, signal))
    )
      return undefined;
    throw error;
  } finally {
    await letGo(session, 'DestroyPropertyCollector', collector, signal);
  }
}

const isAnswerLost = (error: unknown): boolean =>
  error instanceof CausewayError && error.retryable && error.details['ambiguous'] === true;

/** Asked for where nothing was told for a while: what was told to nobody is told here. */
async function infoNow(session: VimSession, task: ManagedObject, signal: AbortSignal): Promise<XmlElement | undefined> {
  return (await readObject(session, task, ['info'], signal)).properties.get('info');
}

function stillRunning(operation: string, task: ManagedObject): CausewayError {
  return new CausewayError('general.deadline', `${operation}: task ${task.id} is still running`, {
    details: { operation, task: task.id },
  });
}

async function isTaskGone(session: VimSession, task: ManagedObject, signal: AbortSignal): Promise<boolean> {
  return readObject(session, task, ['info.state'], signal).then(
    () => false,
    (error: unknown) => isFault(error, 'ManagedObjectNotFound'),
  );
}

function infosOf(update: XmlElement | undefined): readonly XmlElement[] {
  return childrenOf(update, 'filterSet')
    .flatMap((filter) => childrenOf(filter, 'objectSet'))
    .flatMap((object) => childrenOf(object, 'changeSet'))
    .filter((change) => textAt(change, 'name') === 'info')
    .flatMap((change) => childOf(change, 'val') ?? []);
}
