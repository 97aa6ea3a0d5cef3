import { asCausewayError } from '../../app/query-store.ts';
import { useToast } from '../../app/toasts.tsx';
import { useLink } from '../../app/workbench-context.tsx';
import { text } from '../../text/text.ts';

/** Moves replicas to a wave, or with null out of theirs, and offers to move each back to where it was. */
export function useAssign(): (replicas: readonly string[], wave: string | null) => Promise<void> {
  const link = useLink();
  const toast = useToast();
  return async (replicas, wave) => {
    const { moved } = await link.call('wave.assign', { wave, replicas: [...replicas] });
    const undo = async (): Promise<void> => {
      for (const [former, list] of Map.groupBy(moved, (one) => one.wave))
        await link.call('wave.assign', { wave: former, replicas: list.map(({ replica }) => replica) });
    };
    toast(wave === null ? text.waves.unassigned(moved.length) : text.waves.assigned(moved.length, wave), {
      label: text.waves.undo,
      run: () => void undo().catch((error: unknown) => toast(asCausewayError(error).message)),
    });
  };
}
