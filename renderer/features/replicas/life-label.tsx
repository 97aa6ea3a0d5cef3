import { StateLabel, type StateTone } from '../../components/state-label.tsx';
import { text } from '../../text/text.ts';
import type { ReplicaStatusKind } from './replica-status.ts';

const tones: Readonly<Record<ReplicaStatusKind, StateTone>> = {
  never: 'idle', waiting: 'waiting', replicating: 'running', cancelling: 'waiting', interrupted: 'paused', 'in-sync': 'good', failed: 'bad', cancelled: 'ended',
  deploying: 'running', 'deployment-interrupted': 'paused', deployed: 'good', 'deployment-failed': 'bad',
};

export function LifeLabel({ kind }: { readonly kind: ReplicaStatusKind }) {
  return <StateLabel tone={tones[kind]}>{text.replicas.life[kind]}</StateLabel>;
}
