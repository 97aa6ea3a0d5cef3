import type { EvidenceEntry } from '../model/evidence.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { MachineLife } from '../model/machine-life.ts';
import { detailText } from './entry-details.ts';
import { escapedHtml, htmlPage, htmlTable } from './escape-html.ts';
import { lifeStateText } from './life-text.ts';
import { sealed } from './seal.ts';
import { entryText, verification } from './vm-report.ts';

export interface WaveReport {
  readonly wave: string;
  /** In words, e.g. of its plan. */
  readonly facts: readonly (readonly [string, string])[];
  /** In their order. */
  readonly lives: readonly MachineLife[];
  /** Those of the wave's VMs, oldest first. */
  readonly entries: readonly EvidenceEntry[];
  readonly head: string;
  readonly count: number;
  readonly sha256: (text: string) => string;
}

/** What became of a wave, for people without Causeway, with a seal over all that is before it. */
export function waveReport(report: WaveReport): string {
  return sealed(
    htmlPage({ title: `Evidence report, wave ${report.wave}`, body: body(report) }),
    report.head,
    report.sha256,
  );
}

function body({ wave, facts, lives, entries, head, count }: WaveReport): string[] {
  const rows = lives.map((life) =>
    rowOf(
      life,
      entries.filter(({ replica }) => replica?.id === life.replicaId),
    ),
  );
  const there = rows.filter(({ isThere }) => isThere).length;
  const downtimes = rows.flatMap(({ seconds }) => seconds ?? []);
  const deviations = rows.flatMap(({ name, deviations: of }) => of.map((text) => ({ name, text })));
  return [
    `<p class="kind"><span>Evidence report, wave</span><span>${escapedHtml(entries.at(-1)?.at ?? '')}</span></p>`,
    `<h1>${escapedHtml(wave)}</h1>`,
    ...(facts.length === 0
      ? []
      : [
          `<p class="lead">${facts.map(([name, value]) => `${escapedHtml(name)}: ${escapedHtml(value)}`).join(' · ')}</p>`,
        ]),
    `<div class="verdict ${there === rows.length && rows.length > 0 ? 'good' : 'bad'}"><div><strong>${there} of ${rows.length} VMs run at the destination</strong>${deviations.length} ${deviations.length === 1 ? 'deviation' : 'deviations'}</div>` +
      `<div><strong>${downtimes.length === 0 ? 'not measured' : escapedHtml(timeText(Math.max(...downtimes)))}</strong>longest downtime</div></div>`,
    section(
      'VMs',
      htmlTable(
        [
          'VM',
          'State',
          'Downtime',
          'Source stopped',
          'Up again',
          'Checks passed',
          'Approved by',
          'Digest of its report',
        ],
        rows.map((row) => [
          `<b>${escapedHtml(row.name)}</b>`,
          `<b class="${row.isThere ? 'good' : 'bad'}">${escapedHtml(row.state)}</b>${row.problem === undefined ? '' : ` ${escapedHtml(row.problem)}`}`,
          row.seconds === undefined ? '' : escapedHtml(timeText(row.seconds)),
          escapedHtml(row.stoppedAt),
          escapedHtml(row.endedAt),
          row.checks,
          escapedHtml(row.approved),
          row.report === '' ? '' : `<code>${escapedHtml(row.report)}</code>`,
        ]),
      ),
    ),
    section(
      'Deviations',
      deviations.length === 0
        ? '<p>None.</p>'
        : htmlTable(
            ['VM', 'Deviation'],
            deviations.map(({ name, text }) => [escapedHtml(name), escapedHtml(text)]),
          ),
    ),
    section(
      'What was done, and who did it',
      htmlTable(
        ['Entry', 'Time', 'VM', 'What', 'By', 'Details'],
        entries
          .filter(({ kind }) => kind !== 'report')
          .map((entry) => [
            String(entry.n),
            escapedHtml(entry.at),
            escapedHtml(entry.replica?.name ?? ''),
            escapedHtml(entryText(entry)),
            escapedHtml(entry.by),
            escapedHtml(detailText(entry)),
          ]),
      ),
    ),
    section('Verify', verification(head, count)),
    '<div class="sign"><div>Carried out by, date</div><div>Accepted by, date</div></div>',
    `<footer>Made by Causeway from ${entries.length} of ${count} journal entries.</footer>`,
  ];
}

function rowOf(life: MachineLife, entries: readonly EvidenceEntry[]) {
  const deployment = entries.findLast(
    ({ kind, data }) =>
      kind === 'deployment' && (life.cutOver === undefined || data['deployment'] === life.cutOver.deploymentId),
  )?.data;
  const checks = list(deployment?.['checks']).filter(isJsonObject);
  const passed = checks.filter((check: JsonObject) => check['outcome'] === 'passed').length;
  const report = entries.findLast(({ kind }) => kind === 'report')?.data['sha256'];
  const downtime = life.cutOver?.downtime;
  return {
    name: life.replicaName,
    state: lifeStateText[life.state],
    problem: life.problem,
    isThere: ['running-at-destination', 'finalising', 'finalised'].includes(life.state),
    seconds: downtime?.seconds,
    stoppedAt: downtime?.stoppedAt ?? '',
    endedAt: downtime?.endedAt ?? '',
    checks: checks.length === 0 ? 'none defined' : `${passed} of ${checks.length}`,
    approved: life.approval?.by ?? '',
    report: typeof report === 'string' ? report : '',
    deviations: list(deployment?.['deviations']).filter((text) => typeof text === 'string'),
  };
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function section(title: string, content: string): string {
  return `<section><h2>${escapedHtml(title)}</h2>${content}</section>`;
}

function timeText(value: number): string {
  const whole = Math.round(value);
  return whole < 60
    ? `${value} s`
    : whole < 3600
      ? `${Math.floor(whole / 60)} min ${whole % 60} s`
      : `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
