import ExpandMoreIcon from '@mui/icons-material/ExpandMoreOutlined';
import Accordion from '@mui/material/Accordion';
import AccordionDetails from '@mui/material/AccordionDetails';
import AccordionSummary from '@mui/material/AccordionSummary';
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { text } from '../../text/text.ts';
import { ChoiceGroup } from './choice-group.tsx';
import type { DeploymentValues } from './deployment-form-values.ts';
import { FurtherOptions } from './further-options.tsx';
import { LuksKeysField } from './luks-keys-field.tsx';
import { ScriptsField } from './scripts-field.tsx';

const words = text.deployments;

interface Props {
  readonly values: DeploymentValues;
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (values: DeploymentValues) => void;
}

/** Every option of a deployment. */
export function DeploymentForm({ values, problems, onChange }: Props) {
  const set = (part: Partial<DeploymentValues>) => onChange({ ...values, ...part });
  return (
    <>
      <ChoiceGroup
        label={words.state}
        value={values.first}
        options={words.states}
        onChange={(first) => set({ first })}
      />
      <ChoiceGroup
        label={words.volumes}
        value={values.inPlace ? 'inPlace' : 'clone'}
        options={words.volumeModes}
        problem={problems.get('inPlace')}
        onChange={(mode) => set({ inPlace: mode === 'inPlace' })}
      />
      <Box>
        <Typography variant="subtitle2" component="h3" sx={{ color: 'text.secondary' }}>
          {words.guest}
        </Typography>
        <Flag
          label={words.prepare}
          help={words.prepareHelp}
          checked={values.prepare}
          onChange={(prepare) => set({ prepare })}
        />
        {values.prepare && (
          <Box sx={{ mt: 1 }}>
            <Fold
              title={words.preparation}
              isOpen={
                ['root', 'httpProxy', 'packageCache', 'agentPackage', 'luksKeys'].some((key) =>
                  hasProblem(problems, key),
                ) || values.root !== ''
              }
            >
              <Input
                label={words.root}
                help={words.rootHelp}
                value={values.root}
                problem={problems.get('root')}
                onChange={(root) => set({ root })}
              />
              <LuksKeysField keys={values.luksKeys} problems={problems} onChange={(luksKeys) => set({ luksKeys })} />
              <Input
                label={words.proxy}
                help={words.proxyHelp}
                value={values.httpProxy}
                problem={problems.get('httpProxy')}
                onChange={(httpProxy) => set({ httpProxy })}
              />
              <Input
                label={words.packageCache}
                help={words.packageCacheHelp}
                value={values.packageCache}
                problem={problems.get('packageCache')}
                onChange={(packageCache) => set({ packageCache })}
              />
              <Input
                label={words.agentPackage}
                help={words.agentPackageHelp}
                value={values.agentPackage}
                problem={problems.get('agentPackage')}
                onChange={(agentPackage) => set({ agentPackage })}
              />
              <Flag
                label={words.keepWorker}
                help={words.keepWorkerHelp}
                checked={values.keepWorker}
                onChange={(keepWorker) => set({ keepWorker })}
              />
            </Fold>
            <Fold
              title={words.scripts}
              note={words.scriptCount(Object.values(values.scripts).reduce((sum, list) => sum + list.length, 0))}
              isOpen={hasProblem(problems, 'scripts')}
            >
              <ScriptsField scripts={values.scripts} problems={problems} onChange={(scripts) => set({ scripts })} />
            </Fold>
          </Box>
        )}
      </Box>
      <BootCheckFields values={values} problems={problems} onChange={onChange} />
      <Fold title={words.further} isOpen={values.acceptInconsistent || Object.keys(values.further).length > 0}>
        <Flag
          label={words.acceptInconsistent}
          help={words.acceptInconsistentHelp}
          checked={values.acceptInconsistent}
          onChange={(acceptInconsistent) => set({ acceptInconsistent })}
        />
        <FurtherOptions values={values.further} problems={problems} onChange={(further) => set({ further })} />
      </Fold>
      <Alert severity="success" variant="outlined" icon={false} role="note">
        <b>{words.keptTitle}:</b> {keptText(values)}
      </Alert>
    </>
  );
}

function BootCheckFields({ values, problems, onChange }: Props) {
  const set = (part: Partial<DeploymentValues>) => onChange({ ...values, ...part });
  const isLooked = values.bootMode !== 'none';
  return (
    <Box>
      <Typography variant="subtitle2" component="h3" sx={{ color: 'text.secondary', mb: 1.5 }}>
        {words.boot}
      </Typography>
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: { sm: '1fr 1fr' } }}>
        <TextField
          select
          size="small"
          label={words.bootMode}
          value={values.bootMode}
          onChange={(event) => set({ bootMode: event.target.value as DeploymentValues['bootMode'] })}
          sx={{ gridColumn: '1 / -1', '& .MuiSelect-select': { whiteSpace: 'normal' } }}
        >
          {(Object.keys(words.bootModes) as DeploymentValues['bootMode'][]).map((mode) => (
            <MenuItem key={mode} value={mode}>
              {words.bootModes[mode]}
            </MenuItem>
          ))}
        </TextField>
        {isLooked && (
          <>
            <Input
              label={words.bootDeadline}
              help={words.bootDeadlineHelp}
              value={values.bootDeadline}
              problem={problems.get('bootCheck.deadlineSeconds')}
              onChange={(bootDeadline) => set({ bootDeadline })}
            />
            {values.bootMode !== 'console' && (
              <Input
                label={words.bootPort}
                help={words.bootPortHelp}
                value={values.bootPort}
                problem={problems.get('bootCheck.port')}
                onChange={(bootPort) => set({ bootPort })}
              />
            )}
            <TextField
              select
              size="small"
              label={words.onFailedBoot}
              value={values.onFailedBoot}
              error={problems.has('onFailedBoot')}
              helperText={problems.get('onFailedBoot')}
              onChange={(event) => set({ onFailedBoot: event.target.value as DeploymentValues['onFailedBoot'] })}
              sx={{ gridColumn: '1 / -1', '& .MuiSelect-select': { whiteSpace: 'normal' } }}
            >
              <MenuItem value="rollback">{words.onFailed.rollback}</MenuItem>
              <MenuItem value="keep">{words.onFailed.keep}</MenuItem>
            </TextField>
          </>
        )}
      </Box>
    </Box>
  );
}

interface InputProps {
  readonly label: string;
  readonly help: string;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

function Input({ label, help, value, problem, onChange }: InputProps) {
  return (
    <TextField
      size="small"
      fullWidth
      label={label}
      value={value}
      error={problem !== undefined}
      helperText={problem ?? help}
      onChange={(event) => onChange(event.target.value)}
      slotProps={{ htmlInput: { spellCheck: false } }}
    />
  );
}

function Flag({
  label,
  help,
  checked,
  onChange,
}: {
  readonly label: string;
  readonly help: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  return (
    <div>
      <FormControlLabel
        control={<Checkbox checked={checked} onChange={(event) => onChange(event.target.checked)} />}
        label={label}
      />
      <FormHelperText sx={{ mt: -0.5, ml: 4 }}>{help}</FormHelperText>
    </div>
  );
}

/** What few need, folded away until somebody asks, or until something in it is wrong. */
function Fold({
  title,
  note,
  isOpen,
  children,
}: {
  readonly title: string;
  readonly note?: string;
  readonly isOpen: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Accordion
      variant="outlined"
      disableGutters
      defaultExpanded={isOpen}
      slotProps={{ heading: { component: 'h4' }, transition: { unmountOnExit: true, timeout: 0 } }}
      sx={{ '&::before': { display: 'none' } }}
    >
      <AccordionSummary expandIcon={<ExpandMoreIcon />}>
        {title}
        {note !== undefined && (
          <Typography component="span" variant="inherit" sx={{ color: 'text.secondary', ml: 1 }}>
            ({note})
          </Typography>
        )}
      </AccordionSummary>
      <AccordionDetails sx={{ display: 'flex', flexDirection: 'column', gap: 2, pt: 1 }}>{children}</AccordionDetails>
    </Accordion>
  );
}

function hasProblem(problems: ReadonlyMap<string, string>, key: string): boolean {
  return [...problems.keys()].some((path) => path === key || path.startsWith(`${key}.`));
}

function keptText({ inPlace, first }: DeploymentValues): string {
  if (inPlace) return first === 'lastPass' ? words.keptInPlaceLastPass : words.keptInPlace;
  return first === 'lastPass' ? words.keptLastPass : words.keptClone;
}
