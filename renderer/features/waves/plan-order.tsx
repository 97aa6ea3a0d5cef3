import AddIcon from '@mui/icons-material/Add';
import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import Alert from '@mui/material/Alert';
import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import IconButton from '@mui/material/IconButton';
import TextField from '@mui/material/TextField';
import type { ReactNode } from 'react';
import { waveOrder } from '../../../shared/model/wave-order.ts';
import type { WavePlan } from '../../../shared/model/wave-plan.ts';
import type { WaveDetail } from '../../../shared/model/wave.ts';
import { text } from '../../text/text.ts';
import { PlanPart } from './plan-part.tsx';

const words = text.waves.planFields;

export interface PlannedGroup {
  readonly name: string;
  readonly needsGo: boolean;
  readonly members: readonly string[];
}

/** One member and those that have to be completed before it starts. */
export interface PlannedDependency {
  readonly member: string;
  readonly after: readonly string[];
}

export interface PlannedOrder {
  readonly groups: readonly PlannedGroup[];
  readonly dependencies: readonly PlannedDependency[];
}

/** What the plan says by names or IDs, by names. */
export function orderOf({ groups = [], after = {} }: WavePlan, members: WaveDetail['memberList']): PlannedOrder {
  const named = new Map(members.map(({ replicaId, name }) => [replicaId, name]));
  const nameOf = (reference: string): string => named.get(reference) ?? reference;
  return {
    groups: groups.map(({ name, needsGo = false, members: references }) => ({
      name,
      needsGo,
      members: references.map(nameOf),
    })),
    dependencies: Object.entries(after).map(([member, before]) => ({
      member: nameOf(member),
      after: before.map(nameOf),
    })),
  };
}

/** What a plan has of it; several dependencies of one member become one. */
export function plannedOrder({ groups, dependencies }: PlannedOrder): Pick<WavePlan, 'groups' | 'after'> {
  const after = [...Map.groupBy(dependencies, ({ member }) => member)].map(
    ([member, all]) => [member, [...new Set(all.flatMap((one) => [...one.after]))]] as [string, string[]],
  );
  return {
    ...(groups.length === 0
      ? {}
      : {
          groups: groups.map(({ name, needsGo, members }) => ({
            name: name.trim(),
            ...(needsGo ? { needsGo } : {}),
            members: [...members],
          })),
        }),
    ...(after.length === 0 ? {} : { after: Object.fromEntries(after) }),
  };
}

/** Names of members that would wait for each other for ever. */
function stuckMembers(order: PlannedOrder, members: WaveDetail['memberList']): readonly string[] {
  return waveOrder(
    members.map(({ replicaId: id, name }) => ({ id, name })),
    plannedOrder(order),
  ).circular;
}

export function isSoundOrder(order: PlannedOrder, members: WaveDetail['memberList']): boolean {
  return (
    order.groups.every(({ name }) => name.trim() !== '') &&
    order.dependencies.every(({ member, after }) => member !== '' && after.length > 0) &&
    stuckMembers(order, members).length === 0
  );
}

interface Props {
  readonly order: PlannedOrder;
  readonly members: WaveDetail['memberList'];
  readonly onChange: (order: PlannedOrder) => void;
}

/** In which order the members of a wave start: groups, and single members after others. */
export function PlanOrder({ order, members, onChange }: Props) {
  const { groups, dependencies } = order;
  const names = members.map(({ name }) => name);
  const setGroups = (next: readonly PlannedGroup[]) => onChange({ ...order, groups: next });
  const setDependencies = (next: readonly PlannedDependency[]) => onChange({ ...order, dependencies: next });
  const changeGroup = (index: number, part: Partial<PlannedGroup>) =>
    setGroups(groups.map((group, at) => (at === index ? { ...group, ...part } : group)));
  const changeDependency = (index: number, part: Partial<PlannedDependency>) =>
    setDependencies(dependencies.map((one, at) => (at === index ? { ...one, ...part } : one)));
  const stuck = stuckMembers(order, members);
  return (
    <>
      <PlanPart title={words.groups} lead={words.rest}>
        {groups.map(({ name, needsGo, members: chosen }, index) => (
          <Row
            key={index}
            remove={words.removeGroup(index + 1)}
            onRemove={() => setGroups(groups.filter((_, at) => at !== index))}
          >
            <TextField
              size="small"
              label={words.groupName(index + 1)}
              value={name}
              error={name.trim() === ''}
              onChange={(event) => changeGroup(index, { name: event.target.value })}
            />
            <Names
              label={words.groupMembers(index + 1)}
              options={names}
              value={chosen}
              onChange={(value) => changeGroup(index, { members: value })}
            />
            <FormControlLabel
              control={
                <Checkbox
                  size="small"
                  checked={needsGo}
                  onChange={(event) => changeGroup(index, { needsGo: event.target.checked })}
                  slotProps={{ input: { 'aria-label': words.needsGo(index + 1) } }}
                />
              }
              label={words.needsGoShort}
              sx={{ mr: 0 }}
            />
          </Row>
        ))}
        <Add
          label={words.addGroup}
          isFull={groups.length >= 100}
          onAdd={() => setGroups([...groups, { name: '', needsGo: false, members: [] }])}
        />
      </PlanPart>
      <PlanPart title={words.dependencies} lead={words.dependenciesLead}>
        {dependencies.map(({ member, after }, index) => (
          <Row
            key={index}
            remove={words.removeDependency(index + 1)}
            onRemove={() => setDependencies(dependencies.filter((_, at) => at !== index))}
          >
            <Autocomplete
              size="small"
              options={names}
              value={member === '' ? null : member}
              onChange={(_event, value) =>
                changeDependency(index, { member: value ?? '', after: after.filter((name) => name !== value) })
              }
              renderInput={(params) => (
                <TextField {...params} label={words.dependent(index + 1)} error={member === ''} />
              )}
            />
            <Names
              label={words.startsAfter(index + 1)}
              options={names.filter((name) => name !== member)}
              value={after}
              isWrong={after.length === 0}
              onChange={(value) => changeDependency(index, { after: value })}
            />
          </Row>
        ))}
        {stuck.length > 0 && (
          <Alert severity="error" role="status">
            {text.waves.planCauses.circular(stuck.join(', '))}
          </Alert>
        )}
        <Add
          label={words.addDependency}
          isFull={dependencies.length >= 5000}
          onAdd={() => setDependencies([...dependencies, { member: '', after: [] }])}
        />
      </PlanPart>
    </>
  );
}

function Row({
  remove,
  onRemove,
  children,
}: {
  readonly remove: string;
  readonly onRemove: () => void;
  readonly children: readonly ReactNode[];
}) {
  return (
    <Box
      sx={{
        display: 'grid',
        gap: 1.5,
        alignItems: 'start',
        gridTemplateColumns: {
          xs: '1fr auto',
          sm: children.length === 2 ? '1fr 2fr auto' : '1fr 2fr minmax(120px, auto) auto',
        },
        '& > :not(button)': { gridColumn: { xs: '1 / -1', sm: 'auto' } },
        '& > button': { gridColumn: { xs: 2, sm: 'auto' } },
      }}
    >
      {children}
      <IconButton size="small" aria-label={remove} onClick={onRemove}>
        <DeleteIcon fontSize="small" />
      </IconButton>
    </Box>
  );
}

interface NamesProps {
  readonly label: string;
  readonly options: readonly string[];
  readonly value: readonly string[];
  readonly isWrong?: boolean;
  readonly onChange: (value: readonly string[]) => void;
}

function Names({ label, options, value, isWrong = false, onChange }: NamesProps) {
  return (
    <Autocomplete
      multiple
      size="small"
      limitTags={3}
      options={options}
      value={[...value]}
      disableCloseOnSelect
      onChange={(_event, chosen) => onChange(chosen)}
      renderInput={(params) => <TextField {...params} label={label} error={isWrong} />}
    />
  );
}

function Add({
  label,
  isFull,
  onAdd,
}: {
  readonly label: string;
  readonly isFull: boolean;
  readonly onAdd: () => void;
}) {
  return (
    <Box>
      <Button size="small" startIcon={<AddIcon />} disabled={isFull} onClick={onAdd}>
        {label}
      </Button>
    </Box>
  );
}
