import type { MemberState, WaveRun, WaveRunState } from '../../../shared/model/wave.ts';
import { StateLabel, type StateTone } from '../../components/state-label.tsx';
import { runText } from '../../forms/waves/wave-words.ts';
import { text } from '../../text/text.ts';

const tones: Readonly<Record<WaveRunState, StateTone>> = {
  running: 'running',
  paused: 'paused',
  cancelling: 'waiting',
  interrupted: 'paused',
  completed: 'good',
  failed: 'bad',
  cancelled: 'ended',
};
const memberTones: Readonly<Record<MemberState, StateTone>> = {
  waiting: 'waiting',
  starting: 'running',
  running: 'running',
  completed: 'good',
  failed: 'bad',
  blocked: 'paused',
  cancelled: 'ended',
};

/** What goes on in a wave, or what was the last. */
export function WaveState({ run }: { readonly run: WaveRun | undefined }) {
  return <StateLabel tone={run === undefined ? 'idle' : tones[run.state]}>{runText(run)}</StateLabel>;
}

export function MemberLabel({ state }: { readonly state: MemberState }) {
  return <StateLabel tone={memberTones[state]}>{text.waves.memberStates[state]}</StateLabel>;
}
