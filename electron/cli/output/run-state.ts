import type { ExecutionProgress } from '../../../shared/model/progress.ts';

/** The state of a run for people: with the member of the fleet that carries it out, and how far it is. */
export function runState({
  state,
  member,
  progress,
}: {
  readonly state: string;
  readonly member?: string | undefined;
  readonly progress?: ExecutionProgress | undefined;
}): string {
  const { bytesDone = 0, bytesTotal = 0 } = progress?.total ?? {};
  const part = state === 'running' && bytesTotal > 0 ? `, ${Math.floor((100 * bytesDone) / bytesTotal)} %` : '';
  return `${state}${member === undefined ? '' : ` on ${member}`}${part}`;
}
