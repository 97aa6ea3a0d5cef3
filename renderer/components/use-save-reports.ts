import { confinedPage, reportFileName } from '../../shared/reports/escape-html.ts';
import { useToast } from '../app/toasts.tsx';
import { useAction, type Action } from '../app/use-action.ts';
import { useLink } from '../app/workbench-context.tsx';
import { text } from '../text/text.ts';
import { saveFile } from './save-file.ts';

export type ReportFormat = 'html' | 'pdf';

/** Makes reports of VMs, or of a wave, whose digests are recorded, and hands them over as files. */
export function useSaveReports(
  onDone: () => void,
): Action<readonly [of: { readonly replicas: readonly string[] } | { readonly wave: string }, format?: ReportFormat]> {
  const link = useLink();
  const toast = useToast();
  return useAction(
    async (of: { readonly replicas: readonly string[] } | { readonly wave: string }, format: ReportFormat = 'html') => {
      const save = async (given: { readonly name: string; readonly html: string }): Promise<void> => {
        const [name, html] = [reportFileName(given.name), confinedPage(given.html)];
        const file = format === 'html' ? name : name.replace(/\.html$/, '.pdf');
        saveFile(
          file,
          format === 'html'
            ? html
            : Uint8Array.from(atob((await link.call('shell.printPdf', { html })).pdf), (sign) => sign.charCodeAt(0)),
          format === 'html' ? 'text/html' : 'application/pdf',
        );
        toast(text.proof.evidence.reportSaved(file));
      };
      if ('wave' in of) await save(await link.call('evidence.waveReport', of));
      else for (const replica of of.replicas) await save(await link.call('evidence.report', { replica }));
      onDone();
    },
  );
}
