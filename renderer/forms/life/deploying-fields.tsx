import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { bootCheckModes, type DeploymentOptions } from '../../../shared/model/deployment.ts';
import { text } from '../../text/text.ts';

export interface Deploying {
  readonly prepares: boolean;
  readonly bootCheck: (typeof bootCheckModes)[number];
}

export const usualDeploying: Deploying = { prepares: true, bootCheck: 'auto' };

export function deployingOptions({
  prepares,
  bootCheck,
}: Deploying): Pick<DeploymentOptions, 'skipMorphing' | 'bootCheck'> {
  return {
    ...(prepares ? {} : { skipMorphing: true }),
    ...(bootCheck === 'auto' ? {} : { bootCheck: { mode: bootCheck } }),
  };
}

/** The two options that most rehearsals and cut-overs are asked for. */
export function DeployingFields({
  value,
  onChange,
}: {
  readonly value: Deploying;
  readonly onChange: (value: Deploying) => void;
}) {
  return (
    <>
      <FormControlLabel
        control={
          <Checkbox
            size="small"
            checked={value.prepares}
            onChange={(event) => onChange({ ...value, prepares: event.target.checked })}
          />
        }
        label={text.deployments.prepare}
      />
      <TextField
        select
        size="small"
        label={text.deployments.bootMode}
        value={value.bootCheck}
        onChange={(event) => onChange({ ...value, bootCheck: event.target.value as Deploying['bootCheck'] })}
      >
        {bootCheckModes.map((mode) => (
          <MenuItem key={mode} value={mode}>
            {text.deployments.bootModes[mode]}
          </MenuItem>
        ))}
      </TextField>
    </>
  );
}
