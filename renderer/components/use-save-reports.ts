import { useToast } from '../app/toasts.tsx';
import { useAction, type Action } from '../app/use-action.ts';
import { useLink } from '../app/workbench-context.tsx';
import { text } from '../text/text.ts';
import { saveFile } from './save-file.ts';

/** Makes reports of VMs, whose digests are recorded, and hands them over as files. */
export function useSaveReports(onDone: () => void): Action<readonly [replicas: readonly string[]]> {
  const link = useLink();
  const toast = useToast();
  return useAction(async (replicas: readonly string[]) => {
    for (const replica of replicas) {
      const { name, html } = await link.call('evidence.report', { replica });
      saveFile(name, html, 'text/html');
      toast(text.proof.evidence.reportSaved(name));
    }
    onDone();
  });
}
