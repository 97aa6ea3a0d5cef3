import Box from '@mui/material/Box';
import { useEffect, useImperativeHandle, useRef, useState, type Ref } from 'react';
import type { DocumentFormat } from '../../../shared/environment/read-document.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import type { PageFinding } from '../../components/finding-lines.ts';
import { shade } from '../../app/theme.ts';
import { text } from '../../text/text.ts';
import type { CodeView } from './code-view.ts';
import type { ResourceChoices } from './document-assist.ts';

/** What others can do with the text while it is edited. */
export interface CodeHandle {
  show(finding: Finding): void;
  line(): number;
  focus(): void;
}

interface Props {
  readonly value: string;
  readonly format: DocumentFormat;
  readonly label: string;
  readonly describedBy: string;
  readonly findings: readonly PageFinding[];
  readonly onChange: (value: string) => void;
  readonly onFix: (finding: Finding) => void;
  readonly resources?: ResourceChoices;
  readonly height?: string;
  readonly handle?: Ref<CodeHandle>;
}

const noResources: ResourceChoices = () => [];

/** A document as text. The editor itself is loaded when the first one is shown. */
export function CodeEditor({
  value: given,
  format,
  label,
  describedBy,
  findings,
  onChange,
  onFix,
  resources = noResources,
  height = 'max(320px, calc(100vh - 300px))',
  handle,
}: Props) {
  // The editor has one kind of line end; a file of Windows keeps its own.
  const lineEnd = given.includes('\r\n') ? '\r\n' : '\n';
  const value = lineEnd === '\n' ? given : given.replaceAll('\r\n', '\n');
  const place = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<CodeView>();
  const latest = useRef({ value, format, onChange, onFix, resources, lineEnd });
  /** Texts that were told and have not come back yet: whoever types fast is ahead of what the page was drawn with, and must not get an earlier text back. */
  const told = useRef<string[]>([]);
  useEffect(() => {
    latest.current = { value, format, onChange, onFix, resources, lineEnd };
  });
  useEffect(() => {
    let isGone = false;
    let made: CodeView | undefined;
    void import('./code-view.ts').then(({ createCodeView }) => {
      if (isGone || place.current === null) return;
      made = createCodeView(place.current, {
        value: latest.current.value,
        format: latest.current.format,
        label,
        describedBy,
        onChange: (content) => {
          told.current.push(content);
          latest.current.onChange(
            latest.current.lineEnd === '\n' ? content : content.replaceAll('\n', latest.current.lineEnd),
          );
        },
        onFix: (finding) => latest.current.onFix(finding),
        resources: () => latest.current.resources,
      });
      setView(made);
    });
    return () => {
      isGone = true;
      made?.destroy();
    };
  }, [label, describedBy]);
  useEffect(() => view?.setFormat(format), [view, format]);
  useEffect(() => {
    const at = told.current.lastIndexOf(value);
    told.current = at < 0 ? [] : told.current.slice(at + 1);
    if (at < 0) view?.setValue(value);
  }, [view, value]);
  useEffect(() => view?.setFindings(findings), [view, findings]);
  useImperativeHandle(
    handle,
    () => ({
      show: (finding) => view?.show(finding),
      line: () => view?.line() ?? 0,
      focus: () => view?.focus(),
    }),
    [view],
  );
  return (
    <Box
      sx={{
        height,
        border: 1,
        borderColor: 'action.active',
        borderRadius: '5px',
        overflow: 'hidden',
        '&:focus-within': { outline: `2px solid ${shade('focus')}`, outlineOffset: -1 },
      }}
    >
      <Box ref={place} sx={{ height: '100%' }} aria-busy={view === undefined}>
        {view === undefined && (
          <Box component="span" sx={{ display: 'block', p: 2, color: 'text.secondary' }}>
            {text.app.loading}
          </Box>
        )}
      </Box>
    </Box>
  );
}
