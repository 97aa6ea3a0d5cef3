import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { Fragment, memo } from 'react';
import { sides, type Side } from '../../../shared/model/plugin-id.ts';
import { groupFields, type FieldDescriptor } from '../field-descriptor.ts';
import { topBarHeight } from '../../app/theme.ts';
import { text } from '../../text/text.ts';
import { useDraftVersion, useDraftView } from './draft-context.tsx';
import { EnvironmentField } from './environment-field.tsx';
import type { EnvironmentDraft } from './environment-draft.ts';

interface Group {
  readonly id: string;
  readonly side: Side;
  readonly group: string;
  readonly title: string;
  readonly fields: readonly FieldDescriptor[];
}

/** Every group of both sides; the destination first, as there is more to say of it. */
export function groupsOf(draft: EnvironmentDraft): readonly Group[] {
  return [...sides].reverse().flatMap((side) =>
    groupFields(draft.fieldsOf(side)).map(([group, fields]) => ({
      id: `group-${side}-${group.replaceAll(/\W+/g, '-')}`,
      side,
      group,
      title: text.configure.groupOf(text.configure.sides[side], group),
      fields,
    })),
  );
}

/** All fields under their headings. Never rendered again as a whole: each field looks at its own key. */
export const SettingGroups = memo(function SettingGroups({ draft }: { readonly draft: EnvironmentDraft }) {
  return (
    <Stack spacing={2}>
      {groupsOf(draft).map(({ id, side, title, fields }) => (
        <Paper
          key={id}
          id={id}
          component="section"
          variant="outlined"
          aria-label={title}
          sx={{ p: 2.5, scrollMarginTop: 60 }}
        >
          <Typography variant="h6" component="h2" sx={{ mb: 2 }}>
            {title}
          </Typography>
          <Stack spacing={3}>
            {fields.map((field) => (
              <EnvironmentField key={field.key} side={side} field={field} />
            ))}
          </Stack>
        </Paper>
      ))}
    </Stack>
  );
});

/** The groups at the left, each with how many of its settings have findings. */
export function GroupRail() {
  const { draft } = useDraftView();
  useDraftVersion(draft);
  return (
    <Box
      component="nav"
      aria-label={text.configure.groups}
      sx={{ position: 'sticky', top: topBarHeight + 76, display: { xs: 'none', md: 'block' } }}
    >
      {groupsOf(draft).map(({ id, side, group, fields }, index, all) => {
        const states = fields.map(({ key }) => draft.field(side, key));
        const errors = states.filter(({ findings }) => findings.some(({ severity }) => severity === 'error')).length;
        const own = states.filter(({ mode }) => mode !== 'inherit').length;
        return (
          <Fragment key={id}>
            {all[index - 1]?.side !== side && (
              <Typography
                variant="caption"
                component="div"
                sx={{ color: 'text.secondary', fontWeight: 600, mt: index === 0 ? 0 : 1.5 }}
              >
                {text.configure.sides[side]}
              </Typography>
            )}
            <Link
              component="button"
              type="button"
              underline="hover"
              onClick={() => document.getElementById(id)?.scrollIntoView({ block: 'start' })}
              sx={{
                display: 'flex',
                width: '100%',
                justifyContent: 'space-between',
                gap: 1,
                py: 0.75,
                textAlign: 'left',
                fontSize: 13,
                color: errors > 0 ? 'error.main' : 'text.primary',
              }}
            >
              <span>{group}</span>
              <Box component="span" sx={{ color: errors > 0 ? 'error.main' : 'text.secondary' }}>
                {errors > 0 ? `${errors} !` : own > 0 ? own : ''}
              </Box>
            </Link>
          </Fragment>
        );
      })}
    </Box>
  );
}
