import type { RunbookStep } from '../model/machine-life.ts';
import { escapedHtml, htmlPage, htmlTable } from './escape-html.ts';

/** One VM of a cut-over, as the runbook needs it. */
export interface RunbookVm {
  readonly name: string;
  readonly vm: string;
  readonly source: string;
  readonly destination: string;
  readonly wave: string;
  /** Of the VM, as an imported list names them; empty where none does. */
  readonly owner: string;
  /** Its group, a go that it waits for, and what comes before it, in words; empty where it may start at once. */
  readonly order: string;
  /** When its cut-over is expected to begin and end, in words; empty where no window is planned or nothing was measured. */
  readonly expected: string;
  readonly state: string;
  readonly next: string;
  readonly problem: string | undefined;
  readonly disks: string;
  readonly lastSynchronised: string;
  /** How long the last execution took, in words; empty where nothing was measured. */
  readonly lastPass: string;
  /** Downtime of the last rehearsal or cut-over, in words; empty where nothing was measured. */
  readonly deployment: string;
  readonly checks: readonly string[];
  readonly approval: string;
  readonly rehearsal: string;
  /** Steps that are done: who and when, in words. */
  readonly ticks: ReadonlyMap<RunbookStep, string>;
}

export interface RunbookPlan {
  readonly title: string;
  readonly madeAt: string;
  /** Of the wave's plan: its owner, its window. */
  readonly facts: readonly (readonly [string, string])[];
  readonly vms: readonly RunbookVm[];
}

interface Step {
  readonly id: RunbookStep;
  readonly what: string;
  readonly command: string;
  readonly expected: string;
}

interface Part {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** Names are for a shell as well. */
const quoted = (name: string): string => (/^[A-Za-z0-9._-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`);

function partsFor(vm: RunbookVm): readonly Part[] {
  const name = quoted(vm.name);
  return [
    {
      title: 'Before',
      steps: [
        {
          id: 'execute',
          what: 'Execute once more, so that the last pass is short',
          command: `causeway replica execute ${name}`,
          expected: `completed; last time ${vm.lastPass === '' ? 'not measured' : vm.lastPass}`,
        },
        {
          id: 'go-no-go',
          what: 'Go/no-go: state, approval, lag',
          command: `causeway replica life ${name}`,
          expected: 'Approved, no problem',
        },
      ],
    },
    {
      title: 'Cut-over',
      steps: [
        {
          id: 'cut-over',
          what: 'Stop the source, copy the last changes, deploy, run the checks',
          command: `causeway cutover start ${name}`,
          expected: `completed, all checks passed${vm.deployment === '' ? '' : `; deployment last time ${vm.deployment}`}`,
        },
        {
          id: 'confirm',
          what: 'Application owner confirms',
          command: `causeway deployment show ${name}`,
          expected: 'confirmed by name',
        },
      ],
    },
    {
      title: 'Roll-back, until finalised',
      steps: [
        {
          id: 'roll-back',
          what: 'Delete the deployed VM, start the source; by hand (--source-started-by-hand) where Causeway cannot start it',
          command: `causeway cutover rollback ${name}`,
          expected: 'Rolled back',
        },
      ],
    },
    {
      title: 'After the agreed time',
      steps: [
        {
          id: 'finalise',
          what: 'Release snapshots, change tracking and volumes',
          command: `causeway cutover finalise ${name} --yes`,
          expected: 'Finalised, nothing remains',
        },
      ],
    },
  ];
}

/** Whether a VM may be cut over as it is, and why not. */
export function goNoGo(vm: RunbookVm): string {
  const reasons = [
    ...(vm.problem === undefined ? [] : [vm.problem]),
    ...(vm.rehearsal === '' ? ['no rehearsal passed'] : []),
    ...(vm.approval === '' ? ['not approved'] : []),
    ...(vm.checks.length === 0 ? ['no checks defined'] : []),
  ];
  return reasons.length === 0 ? 'Go' : `Open: ${reasons.join('; ')}`;
}

export function runbookMarkdown({ title, madeAt, facts, vms }: RunbookPlan): string {
  const cell = (text: string): string =>
    text.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\|<>`*_[\]]/g, (sign) => `\\${sign}`);
  const code = (text: string): string => `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``;
  return [
    `# ${cell(title)}`,
    '',
    `Made ${cell(madeAt)}.`,
    '',
    ...(facts.length === 0 ? [] : [...facts.map(([name, value]) => `- ${name}: ${cell(value)}`), '']),
    `| ${overview.join(' | ')} |`,
    `|${'---|'.repeat(overview.length)}`,
    ...vms.map((vm) => `| ${overviewOf(vm).map(cell).join(' | ')} |`),
    '',
    ...vms.flatMap((vm) => [
      `## ${cell(vm.name)}`,
      '',
      ...factsOf(vm).map(([name, value]) => `- ${name}: ${cell(value)}`),
      '',
      ...partsFor(vm).flatMap((part) => [
        `### ${part.title}`,
        '',
        '| Done | Step | Command | Expected | Time, name |',
        '|---|---|---|---|---|',
        ...part.steps.map(
          (step) =>
            `| ${vm.ticks.has(step.id) ? '☑' : '☐'} | ${cell(step.what)} | ${code(step.command)} | ${cell(step.expected)} | ${cell(vm.ticks.get(step.id) ?? '')} |`,
        ),
        '',
      ]),
    ]),
  ].join('\n');
}

export function runbookHtml({ title, madeAt, facts, vms }: RunbookPlan): string {
  const steps = (vm: RunbookVm, part: Part): string =>
    htmlTable(
      ['Done', 'Step', 'Command', 'Expected', 'Time, name'],
      part.steps.map((step) => [
        vm.ticks.has(step.id) ? '☑' : '☐',
        escapedHtml(step.what),
        `<code>${escapedHtml(step.command)}</code>`,
        escapedHtml(step.expected),
        escapedHtml(vm.ticks.get(step.id) ?? ''),
      ]),
    );
  return htmlPage({
    title,
    body: [
      `<p class="kind"><span>Runbook</span><span>${escapedHtml(madeAt)}</span></p>`,
      `<h1>${escapedHtml(title)}</h1>`,
      ...(facts.length === 0
        ? []
        : [
            `<p class="lead">${facts.map(([name, value]) => `${escapedHtml(name)}: ${escapedHtml(value)}`).join(' · ')}</p>`,
          ]),
      htmlTable(
        overview,
        vms.map((vm) => overviewOf(vm).map(escapedHtml)),
      ),
      ...vms.map(
        (vm) =>
          `<section><h2>${escapedHtml(vm.name)}</h2><ul>${factsOf(vm)
            .map(([name, value]) => `<li>${name}: ${escapedHtml(value)}</li>`)
            .join('')}</ul>${partsFor(vm)
            .map((part) => `<h3>${part.title}</h3>${steps(vm, part)}`)
            .join('')}</section>`,
      ),
    ],
  });
}

const overview = ['VM', 'Wave', 'Owner', 'From', 'To', 'State', 'Expected', 'Go/no-go'];

function overviewOf(vm: RunbookVm): readonly string[] {
  return [vm.name, vm.wave, vm.owner, vm.source, vm.destination, vm.state, vm.expected, goNoGo(vm)];
}

function factsOf(vm: RunbookVm): readonly (readonly [string, string])[] {
  return [
    ['Source VM', vm.vm],
    ...(vm.owner === '' ? [] : [['Owner', vm.owner] as const]),
    ...(vm.order === '' ? [] : [['Order', vm.order] as const]),
    ...(vm.expected === '' ? [] : [['Expected', vm.expected] as const]),
    ['Disks', vm.disks],
    ['Last synchronised', vm.lastSynchronised],
    ['Rehearsal', vm.rehearsal === '' ? 'none passed' : vm.rehearsal],
    ['Approval', vm.approval === '' ? 'none' : vm.approval],
    ['Checks', vm.checks.length === 0 ? 'none' : vm.checks.join(', ')],
  ];
}
