import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { z } from 'zod';
import { deploymentOptionsSchema } from '../../../shared/model/deployment.ts';
import { text } from '../../text/text.ts';
import { knownOptions } from './deployment-form-values.ts';

interface OptionSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly description?: string;
}

type Values = Readonly<Record<string, unknown>>;

interface Props {
  readonly values: Values;
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (values: Values) => void;
}

/** Simple options that the form has no place of its own for, from the schema: a new one of the engine is there at once. */
export function FurtherOptions({ values, problems, onChange }: Props) {
  const set = (key: string, value: unknown) => {
    const { [key]: _former, ...rest } = values;
    onChange(value === undefined || value === '' || value === false ? rest : { ...rest, [key]: value });
  };
  return (
    <>
      {furtherOptions().map(([key, schema]) => {
        const told = text.deployments.furtherTexts[key];
        const label = told?.label ?? labelOf(key);
        const help = problems.get(key) ?? told?.help ?? schema.description;
        if (schema.type === 'boolean') {
          return (
            <div key={key}>
              <FormControlLabel
                control={
                  <Checkbox checked={values[key] === true} onChange={(event) => set(key, event.target.checked)} />
                }
                label={label}
              />
              {help !== undefined && <FormHelperText>{help}</FormHelperText>}
            </div>
          );
        }
        const isNumber = schema.type === 'integer' || schema.type === 'number';
        return (
          <TextField
            key={key}
            size="small"
            fullWidth
            label={label}
            select={schema.enum !== undefined}
            value={values[key] === undefined ? '' : String(values[key])}
            error={problems.has(key)}
            helperText={help}
            onChange={({ target }) =>
              set(key, isNumber && target.value.trim() !== '' ? Number(target.value) : target.value)
            }
          >
            {schema.enum === undefined
              ? undefined
              : [
                  <MenuItem key="" value="">
                    –
                  </MenuItem>,
                  ...schema.enum.map((option) => (
                    <MenuItem key={option} value={option}>
                      {option}
                    </MenuItem>
                  )),
                ]}
          </TextField>
        );
      })}
    </>
  );
}

/** What rehearsals and cut-overs are started with, in dialogs of their own. */
const ofTheirDialogs: ReadonlySet<string> = new Set(['purpose', 'sourceIsStopped']);

function furtherOptions(): readonly (readonly [string, OptionSchema])[] {
  const { properties = {} } = z.toJSONSchema(deploymentOptionsSchema, { io: 'input' });
  return Object.entries(properties as Readonly<Record<string, OptionSchema>>).filter(
    ([key, { type, enum: choices }]) =>
      !knownOptions.has(key) &&
      !ofTheirDialogs.has(key) &&
      (choices !== undefined || ['boolean', 'string', 'integer', 'number'].includes(type ?? '')),
  );
}

/** "keepWorkerOnFailure" as "Keep worker on failure". */
function labelOf(key: string): string {
  const words = key.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
