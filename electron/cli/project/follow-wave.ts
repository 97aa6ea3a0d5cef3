import type { CoreClient } from '../../../shared/contract/core-client.ts';
import type { Event } from '../../../shared/model/event.ts';
import { isEnded, type WaveDetail, type WaveRun } from '../../../shared/model/wave.ts';
import type { CommandContext, ExitStatus, ProjectOptions } from '../command-context.ts';
import { displayFor, type RunDisplay } from '../output/run-display.ts';
import { waveText } from '../output/wave-text.ts';
import { cancelOnInterrupt } from './follow-runs.ts';

/**
 * Starts something on a wave and shows it until it has ended, is paused, or waits for a person. An interrupt cancels it. Exit
 * status 0 when nothing of it failed.
 */
export async function followWave(
  core: CoreClient,
  wave: string,
  start: () => Promise<WaveRun>,
  options: ProjectOptions,
  context: CommandContext,
): Promise<ExitStatus> {
  const display = displayFor(options, context);
  const over = Promise.withResolvers<WaveDetail>();
  let isStarted = false;
  let asking: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    const detail = await core.call('wave.show', { wave });
    if (isStarted && detail.run !== undefined && isSettled(detail.run)) over.resolve(detail);
  };
  const lookSoon = (): void => void (asking = asking.then(look).catch(over.reject));
  const stopEvents = core.subscribe('execution.event', (event) => {
    if (isAbout(event, wave)) display.event(event);
    if (isAbout(event, wave) || event.type === 'execution.state' || event.type === 'deployment.state') lookSoon();
  });
  let stopCancel = (): void => undefined;
  try {
    await start();
    isStarted = true;
    stopCancel = cancelOnInterrupt(
      context,
      (text) => display.notice(text),
      () => core.call('wave.cancel', { wave }),
    );
    lookSoon();
    return show(await over.promise, options, context, display);
  } finally {
    stopCancel();
    stopEvents();
  }
}

function isAbout({ type, details }: Event, wave: string): boolean {
  return (type === 'wave.state' || type === 'wave.member') && details['wave'] === wave;
}

/** Nothing of it happens by itself any more. */
function isSettled(run: WaveRun): boolean {
  const isBusy = run.counts.running + run.counts.starting > 0;
  return isEnded(run) || (!isBusy && (run.waitsFor !== undefined || run.state === 'paused'));
}

function show(
  detail: WaveDetail,
  options: ProjectOptions,
  { stdout, stderr }: CommandContext,
  display: RunDisplay,
): ExitStatus {
  const { name, run } = detail;
  if (options.json === true) stdout.write(`${JSON.stringify({ type: 'result', wave: detail })}\n`);
  else stdout.write(waveText(detail));
  if (run?.waitsFor !== undefined) {
    const { name: group, reason } = run.waitsFor;
    display.notice(
      `${group} waits for a go${reason === 'failures' ? ', because an earlier group has failures' : ''}. To start it: causeway wave go ${JSON.stringify(name)}`,
    );
  }
  if (run !== undefined && run.counts.failed + run.counts.blocked > 0 && options.json !== true)
    stderr.write(`To try them again: causeway wave retry ${JSON.stringify(name)}\n`);
  const isClean = run !== undefined && run.counts.failed + run.counts.blocked + run.counts.cancelled === 0;
  return isClean ? 0 : 1;
}
