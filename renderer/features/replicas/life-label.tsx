import { StateLabel, type StateTone } from '../../components/state-label.tsx';
import { text } from '../../text/en.ts';
import type { LifeKind } from './replica-life.ts';

const tones: Readonly<Record<LifeKind, StateTone>> = {
  never: 'idle', waiting: 'waiting', replicating: 'running', cancelling: 'waiting', interrupted: 'paused', 'in-sync': 'good', failed: 'bad', cancelled: 'ended',
  deploying: 'running', 'deployment-interrupted': 'paused', deployed: 'good', 'deployment-failed': 'bad',
};

export function LifeLabel({ kind }: { readonly kind: LifeKind }) {
  return <StateLabel tone={tones[kind]}>{text.replicas.life[kind]}</StateLabel>;
}
