import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useRef } from 'react';
import { fonts } from '../../app/theme.ts';
import { text } from '../../text/text.ts';
import { scriptPoints, type DeploymentValues, type ScriptPoint, type ScriptValues } from './deployment-form-values.ts';

const words = text.deployments;

interface Props {
  readonly scripts: DeploymentValues['scripts'];
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (scripts: DeploymentValues['scripts']) => void;
}

/** The user's scripts at the three points of a preparation. */
export function ScriptsField({ scripts, problems, onChange }: Props) {
  return (
    <>
      {scriptPoints.map((point) => (
        <PointScripts
          key={point}
          point={point}
          scripts={scripts[point]}
          problems={problems}
          onChange={(list) => onChange({ ...scripts, [point]: list })}
        />
      ))}
    </>
  );
}

interface PointProps {
  readonly point: ScriptPoint;
  readonly scripts: readonly ScriptValues[];
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (scripts: readonly ScriptValues[]) => void;
}

function PointScripts({ point, scripts, problems, onChange }: PointProps) {
  const files = useRef<HTMLInputElement>(null);
  const { label, help } = words.scriptPoints[point];
  const change = (index: number, part: Partial<ScriptValues>) =>
    onChange(scripts.map((script, at) => (at === index ? { ...script, ...part } : script)));
  const read = async (chosen: readonly File[]) => {
    const contents = await Promise.all(
      chosen.map(async (file) => ({ name: file.name, content: await file.text(), timeout: '' })),
    );
    onChange([...scripts, ...contents]);
  };
  return (
    <Box role="group" aria-label={label}>
      <Typography variant="body2" sx={{ fontWeight: 600 }}>
        {label}
      </Typography>
      <Typography variant="caption" component="div" sx={{ color: 'text.secondary', mb: 1 }}>
        {help}
      </Typography>
      {scripts.map((script, index) => {
        const problem = (key: string): string | undefined => problems.get(`scripts.${point}.${index}.${key}`);
        return (
          // Rows have no identity but their place.
          <Box key={index} sx={{ mb: 2, p: 1.5, border: 1, borderColor: 'divider', borderRadius: 1 }}>
            <Box sx={{ display: 'flex', gap: 1, mb: 1, alignItems: 'flex-start' }}>
              <TextField
                size="small"
                label={words.scriptName}
                value={script.name}
                error={problem('name') !== undefined}
                onChange={(event) => change(index, { name: event.target.value })}
                sx={{ flexGrow: 1 }}
              />
              <TextField
                size="small"
                label={words.scriptTimeout}
                value={script.timeout}
                error={problem('timeoutSeconds') !== undefined}
                helperText={problem('timeoutSeconds')}
                onChange={(event) => change(index, { timeout: event.target.value })}
                sx={{ width: 210 }}
              />
              <Button
                color="inherit"
                onClick={() => onChange(scripts.filter((_script, at) => at !== index))}
                aria-label={words.removeNamed(script.name)}
              >
                {words.remove}
              </Button>
            </Box>
            <TextField
              size="small"
              fullWidth
              multiline
              minRows={3}
              maxRows={12}
              label={words.scriptContent}
              value={script.content}
              error={problem('content') !== undefined}
              helperText={problem('content')}
              onChange={(event) => change(index, { content: event.target.value })}
              slotProps={{ htmlInput: { spellCheck: false } }}
              sx={{ '& textarea': { fontFamily: fonts.code, fontSize: 13 } }}
            />
          </Box>
        );
      })}
      <Button
        size="small"
        onClick={() =>
          onChange([...scripts, { name: `script-${scripts.length + 1}`, content: '#!/bin/sh\nset -e\n', timeout: '' }])
        }
      >
        {words.addScript}
      </Button>
      <Button size="small" onClick={() => files.current?.click()}>
        {words.fromFile}
      </Button>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={`${label}: ${words.fromFile}`}
        onChange={(event) => {
          void read([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
    </Box>
  );
}
