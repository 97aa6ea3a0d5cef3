import FormControl from '@mui/material/FormControl';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import FormLabel from '@mui/material/FormLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import Typography from '@mui/material/Typography';
import { useId } from 'react';

interface Props<V extends string> {
  readonly label: string;
  readonly value: V;
  readonly options: Readonly<Record<V, { readonly label: string; readonly help: string }>>;
  readonly problem?: string | undefined;
  readonly onChange: (value: V) => void;
}

/** One of a few, each with what it means. */
export function ChoiceGroup<V extends string>({ label, value, options, problem, onChange }: Props<V>) {
  const id = useId();
  return (
    <FormControl error={problem !== undefined}>
      <FormLabel id={id}>{label}</FormLabel>
      <RadioGroup aria-labelledby={id} value={value} onChange={(event) => onChange(event.target.value as V)}>
        {(Object.keys(options) as V[]).map((option) => (
          <FormControlLabel
            key={option}
            value={option}
            control={<Radio size="small" />}
            label={
              <>
                {options[option].label}
                <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
                  {options[option].help}
                </Typography>
              </>
            }
            sx={{ alignItems: 'flex-start', py: 0.5, '& .MuiRadio-root': { py: 0.25 } }}
          />
        ))}
      </RadioGroup>
      {problem !== undefined && <FormHelperText>{problem}</FormHelperText>}
    </FormControl>
  );
}
