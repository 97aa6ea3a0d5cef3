import { waveActions } from '../../../shared/model/wave-action.ts';
import { lasts } from '../../../shared/model/wave-calendar.ts';
import {
  blackOutSchema,
  wavePlanSchema,
  missedPolicies,
  weekdays,
  type WavePlan,
} from '../../../shared/model/wave-plan.ts';
import { issueLine } from '../../../shared/schema/issue-line.ts';
import { nearestSpelling } from '../../../shared/schema/spelling.ts';
import { UsageError } from '../command-context.ts';

/** As commander gives them; what is missing stays as it is in the plan. */
export interface PlanOptions {
  readonly description?: string;
  readonly owner?: string;
  readonly window?: string;
  readonly hours?: string;
  readonly startsWith?: string;
  readonly rehearsalNetwork?: string;
  readonly ifMissed?: string;
  readonly synchronise?: string;
  readonly blackOut?: readonly string[];
  readonly atOnce?: string;
  readonly limitProfile?: string;
  readonly group?: readonly string[];
  readonly go?: readonly string[];
  readonly after?: readonly string[];
  readonly clear?: readonly string[];
}

const date = String.raw`\d{4}-\d\d-\d\d`;
const time = String.raw`\d\d:\d\d`;

/** A plan with what the options change. @throws UsageError */
export function changedPlan(before: WavePlan, options: PlanOptions): WavePlan {
  const cleared = Object.fromEntries(Object.entries(before).filter(([key]) => !(options.clear ?? []).includes(key)));
  const groups = options.group === undefined ? before.groups : options.group.map(groupOf);
  const plan = {
    ...cleared,
    ...given('description', options.description),
    ...given('owner', options.owner),
    ...given(
      'window',
      options.window === undefined ? hoursAlone(before, options) : windowOf(options.window, options.hours),
    ),
    ...given('startsWith', choice('--starts-with', options.startsWith, waveActions)),
    ...given('rehearsalNetwork', options.rehearsalNetwork),
    ...given('ifMissed', choice('--if-missed', options.ifMissed, missedPolicies)),
    ...given('synchronisation', options.synchronise === undefined ? undefined : scheduleOf(options.synchronise)),
    ...given('blackOuts', options.blackOut?.map(blackOutOf)),
    ...given('atOnce', options.atOnce === undefined ? undefined : Number(options.atOnce)),
    ...given('bandwidth', options.limitProfile),
    ...given(
      'groups',
      options.clear?.includes('groups') === true && options.group === undefined
        ? undefined
        : withGo(groups, options.go),
    ),
    ...given('after', options.after === undefined ? undefined : afterOf(options.after)),
  };
  const parsed = wavePlanSchema.safeParse(plan);
  if (parsed.success) return parsed.data;
  throw new UsageError(parsed.error.issues.map((issue) => issueLine(issue, plan, 'the plan')).join('; '));
}

function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}

function windowOf(text: string, hours = '4') {
  const [, day, clock, zone] = parts(
    '--window',
    text,
    new RegExp(`^(${date}) (${time}) (\\S+)$`),
    '"2026-11-28 22:00 Europe/Berlin"',
  );
  return { date: day, time: clock, zone, hours: Number(hours) };
}

function hoursAlone({ window }: WavePlan, { hours }: PlanOptions) {
  if (hours === undefined) return undefined;
  if (window === undefined) throw new UsageError('--hours needs --window');
  return { ...window, hours: Number(hours) };
}

function scheduleOf(text: string) {
  const [, clock, zone, days] = parts(
    '--synchronise',
    text,
    new RegExp(`^(${time}) (\\S+)(?: (\\S+))?$`),
    '"02:00 Europe/Berlin" or "02:00 Europe/Berlin mon,thu"',
  );
  return {
    time: clock,
    zone,
    ...given(
      'days',
      days?.split(',').map((day) => choice('--synchronise', day, weekdays)),
    ),
  };
}

function blackOutOf(text: string) {
  const [, fromDate, fromTime, toDate, toTime, zone] = parts(
    '--black-out',
    text,
    new RegExp(`^(${date}) (${time}) (${date}) (${time}) (\\S+)$`),
    '"2026-11-27 08:00 2026-11-27 18:00 Europe/Berlin"',
  );
  const read = blackOutSchema.safeParse({ fromDate, fromTime, toDate, toTime, zone });
  if (read.success && !lasts(read.data))
    throw new UsageError(`--black-out ${JSON.stringify(text)} ends before it begins`);
  return { fromDate, fromTime, toDate, toTime, zone };
}

function groupOf(text: string) {
  const [, name = '', members = ''] = parts('--group', text, /^([^=]+)=(.+)$/, 'Databases=db-01,db-02');
  return { name: name.trim(), members: listed(members) };
}

function afterOf(texts: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name = '', before = ''] = parts('--after', text, /^([^=]+)=(.+)$/, 'app-01=db-01,db-02');
      return [name.trim(), listed(before)];
    }),
  );
}

function withGo(groups: WavePlan['groups'], names: readonly string[] | undefined): WavePlan['groups'] {
  if (names === undefined) return groups;
  const unknown = names.find((name) => groups?.every((group) => group.name !== name) ?? true);
  if (unknown !== undefined) throw new UsageError(`--go: the plan has no group "${unknown}"`);
  return groups?.map(({ needsGo: _before, ...group }) =>
    names.includes(group.name) ? { ...group, needsGo: true } : group,
  );
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function parts(option: string, text: string, pattern: RegExp, example: string): RegExpExecArray {
  const found = pattern.exec(text.trim());
  if (found === null) throw new UsageError(`${option} ${JSON.stringify(text)} is not in the expected form: ${example}`);
  return found;
}

function choice<T extends string>(option: string, value: string | undefined, known: readonly T[]): T | undefined {
  if (value === undefined || (known as readonly string[]).includes(value)) return value as T | undefined;
  const nearest = nearestSpelling(value, known);
  throw new UsageError(
    `${option} must be ${known.join(', ')}${nearest === undefined ? '' : `: did you mean ${nearest}?`}`,
  );
}
