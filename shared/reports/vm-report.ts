import type { EvidenceEntry } from '../model/evidence.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { MachineLife } from '../model/machine-life.ts';
import { measuredLegs } from '../model/legs.ts';
import { bytes } from '../model/quantities.ts';
import { detailText } from './entry-details.ts';
import { escapedHtml, htmlPage, htmlTable } from './escape-html.ts';
import { lifeStateText } from './life-text.ts';
import { sealed } from './seal.ts';

export interface VmReport {
  readonly life: MachineLife;
  readonly vmName: string;
  /** Those of the VM, oldest first. The report says nothing that is not in them. */
  readonly entries: readonly EvidenceEntry[];
  /** Of the journal when the report was made. */
  readonly head: string;
  readonly count: number;
  readonly sha256: (text: string) => string;
}

/** A report for people without Causeway, with a seal over all that is before it. */
export function vmReport(report: VmReport): string {
  return sealed(
    htmlPage({ title: `Evidence report ${report.life.replicaName}`, body: body(report) }),
    report.head,
    report.sha256,
  );
}

function body({ life, vmName, entries, head, count }: VmReport): string[] {
  const deployments = entries.filter(({ kind }) => kind === 'deployment').map(({ data }) => data);
  const cut = deployments.findLast((data) => data['deployment'] === life.cutOver?.deploymentId) ?? deployments.at(-1);
  const executions = entries.filter(({ kind }) => kind === 'execution').map(({ data }) => data);
  const checks = objects(cut?.['checks']);
  const passed = checks.filter((check) => check['outcome'] === 'passed').length;
  const downtime = life.cutOver?.downtime;
  const isGood = ['running-at-destination', 'finalising', 'finalised'].includes(life.state);
  const deviations = strings(cut?.['deviations']);
  return [
    `<p class="kind"><span>Evidence report</span><span>${escapedHtml(entries.at(-1)?.at ?? '')}</span></p>`,
    `<h1>${escapedHtml(life.replicaName)}</h1>`,
    `<p class="lead">Source VM ${escapedHtml(vmName)}. ${escapedHtml(lifeStateText[life.state])}${life.since === undefined ? '' : ` since ${escapedHtml(life.since)}`}${life.by === undefined ? '' : `, ${escapedHtml(life.by)}`}.</p>`,
    `<div class="verdict ${isGood ? 'good' : 'bad'}"><div><strong>${escapedHtml(lifeStateText[life.state])}</strong>${passed} of ${checks.length} checks passed · ${deviations.length} ${deviations.length === 1 ? 'deviation' : 'deviations'}</div>` +
      `<div><strong>${downtime?.seconds === undefined ? 'not measured' : escapedHtml(seconds(downtime.seconds))}</strong>downtime${downtime?.endedAt === undefined ? '' : `, ${escapedHtml(downtime.stoppedAt)} to ${escapedHtml(downtime.endedAt)}`}</div></div>`,
    ...(downtime === undefined
      ? []
      : [
          '<p class="muted">From the request to shut down the source to the passed checks at the destination; after a roll-back, to the start of the source.</p>',
        ]),
    ...(life.problem === undefined ? [] : [`<p><b class="bad">${escapedHtml(life.problem)}</b></p>`]),
    section('Deployment', cut === undefined ? '<p>None.</p>' : deploymentFacts(cut)),
    section(
      'Checks after boot',
      checks.length === 0
        ? '<p>None were defined.</p>'
        : htmlTable(
            ['Check', 'Result', 'Details', 'Attempts', 'Time'],
            checks.map((check) => [
              text(check['name']),
              outcome(check['outcome']),
              text(check['evidence']),
              text(check['attempts']),
              text(check['at']),
            ]),
          ),
    ),
    section('Data', executions.length === 0 ? '<p>No execution is recorded.</p>' : executionTables(executions)),
    section('Changes to the guest', guest(cut)),
    section(
      'Deviations',
      deviations.length === 0
        ? '<p>None.</p>'
        : `<ul>${deviations.map((one) => `<li>${escapedHtml(one)}</li>`).join('')}</ul>`,
    ),
    section(
      'What was done, and who did it',
      htmlTable(
        ['Entry', 'Time', 'What', 'By', 'Details'],
        entries
          .filter(({ kind }) => kind !== 'report')
          .map((entry) => [
            String(entry.n),
            escapedHtml(entry.at),
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

function section(title: string, content: string): string {
  return `<section><h2>${escapedHtml(title)}</h2>${content}</section>`;
}

function deploymentFacts(data: JsonObject): string {
  const server = object(data['server']);
  const boot = object(data['boot']);
  const error = object(data['error']);
  const rows: (readonly [string, string])[] = [
    ['State', text(data['state'])],
    ['VM', `${text(server['name'])} <code>${text(server['id'])}</code>`],
    ['Addresses', strings(server['addresses']).map(escapedHtml).join(', ')],
    ['Boot', `${outcome(boot['outcome'])} ${text(boot['evidence'])}`],
    [
      'Executions',
      objects(data['executions'])
        .map(({ number }) => text(number))
        .join(', '),
    ],
    ...(error['code'] === undefined
      ? []
      : [['Error', `<b class="bad">${text(error['code'])}</b> ${text(error['message'])}`] as const]),
  ];
  return htmlTable(
    ['Fact', 'Value'],
    rows.map(([name, value]) => [escapedHtml(name), value]),
  );
}

function executionTables(executions: readonly JsonObject[]): string {
  // Few sources charge for being read.
  const isCharged = executions.some((run) => run['sourceRequests'] !== undefined);
  const runs = htmlTable(
    [
      'Execution',
      'State',
      'Snapshot',
      'Ended',
      'Verified',
      'Sent',
      'Way of the data',
      ...(isCharged ? ['Requests to the source', 'Cost of reading'] : []),
    ],
    executions.map((run) => [
      text(run['number']),
      outcome(run['state']),
      text(run['snapshotTakenAt']),
      text(run['finishedAt']),
      text(run['verified']),
      sent(objects(run['disks'])),
      way(run),
      ...(isCharged ? requestCells(object(run['sourceRequests'])) : []),
    ]),
  );
  const last = executions.findLast((run) => run['state'] === 'completed');
  const digests = new Map(objects(last?.['digests']).map((one) => [one['diskId'], one]));
  const disks = htmlTable(
    ['Disk', 'Size', 'Volume', 'Read', 'Changed', 'Digest of the content'],
    objects(last?.['disks']).map((disk) => [
      text(disk['diskId']),
      escapedHtml(bytes(amount(disk['sizeBytes']))),
      `<code>${text(disk['volumeId'])}</code>`,
      escapedHtml(bytes(amount(disk['bytesRead']))),
      escapedHtml(bytes(amount(disk['bytesChanged']))),
      digestCell(digests.get(disk['diskId'])?.['sha256']),
    ]),
  );
  return `${runs}<h3>Disks of the last completed execution</h3>${disks}<p class="muted">The digest covers the whole disk as it was read from the source: the SHA-256 of the first 16 bytes of the SHA-256 of each 64 KiB, in their order. It can be computed again from the disk, with <code>causeway evidence digest DISK-FILE</code> or without Causeway. What was verified at the destination equals it.</p>`;
}

/** What crossed the link, and what did not have to. */
function sent(disks: readonly JsonObject[]): string {
  const sum = (key: string): number => disks.reduce((total, disk) => total + amount(disk[key]), 0);
  const recalled = sum('bytesRecalled');
  return escapedHtml(
    `${bytes(sum('bytesSent'))}${recalled === 0 ? '' : `, and ${bytes(recalled)} from earlier copies on the worker`}`,
  );
}

/** Through which computer the bytes went, and how fast each leg was. */
function way(run: JsonObject): string {
  if (run['engine'] === undefined) return 'not recorded';
  const { source, destination } = measuredLegs(objects(run['disks']));
  const leg = (rate: number | undefined): string => (rate === undefined ? '' : ` (${escapedHtml(bytes(rate))}/s)`);
  const vm = object(run['ownVm']);
  const last =
    vm['id'] === undefined ? 'destination' : `its own disks, as VM ${text(vm['name'] ?? vm['id'])} of the destination`;
  const from = object(run['sourceVm']);
  const first =
    from['id'] === undefined ? 'source' : `copies at the source, attached to VM ${text(from['name'] ?? from['id'])}`;
  return `${first}${leg(source)} → ${text(run['engine'])} → ${last}${leg(destination)}`;
}

function requestCells(made: JsonObject): readonly string[] {
  const { requests, requestsPerGib, usd } = made;
  if (typeof requests !== 'number' || typeof usd !== 'number') return ['', ''];
  const perGib = typeof requestsPerGib === 'number' ? ` (${requestsPerGib} per GiB)` : '';
  return [escapedHtml(`${requests}${perGib}`), escapedHtml(`USD ${usd.toFixed(usd < 0.01 ? 6 : 2)} at list prices`)];
}

function digestCell(value: JsonValue | undefined): string {
  return value === undefined ? 'not known' : `<code>${text(value)}</code>`;
}

function guest(data: JsonObject | undefined): string {
  const found = object(data?.['guest']);
  if (found['diffSha256'] === undefined) return '<p>The guest was not prepared.</p>';
  const changes = strings(found['changes']);
  const total = amount(found['changeCount']);
  return `<p>${text(found['name'])}, ${text(found['hostname'])}. ${total} changes${total > changes.length ? `, the first ${changes.length}` : ''}; digest of all of them: <code>${text(found['diffSha256'])}</code></p><pre>${changes.map(escapedHtml).join('\n')}</pre>`;
}

/** How anybody verifies a report and the journal that it is from. */
export function verification(head: string, count: number): string {
  return `<p>The journal had ${count} entries when this report was made. SHA-256 of the last one: <code>${head}</code></p>
<p>The digest of this file is recorded in the journal, in the next entry of the kind <code>report</code>. Compare it, and check the journal:</p>
<pre>sha256sum THIS-FILE
sed -n ${count}p evidence.jsonl | tr -d '\\n' | sha256sum
causeway evidence verify THIS-FILE --journal evidence.jsonl</pre>`;
}

/** What an entry says in a few words. */
export function entryText({ kind, data }: EvidenceEntry): string {
  const number = data['number'] === undefined ? '' : ` ${plain(data['number'])}`;
  if (kind === 'execution' || kind === 'deployment') return `${kind}${number} ${plain(data['state'])}`;
  return `${kind.replaceAll('-', ' ')}${number}`;
}

function outcome(value: JsonValue | undefined): string {
  const said = plain(value);
  const tone = ['passed', 'completed', 'up'].includes(said)
    ? 'good'
    : ['failed', 'cancelled'].includes(said)
      ? 'bad'
      : 'warn';
  return said === '' ? '' : `<b class="${tone}">${escapedHtml(said)}</b>`;
}

function seconds(value: number): string {
  const whole = Math.round(value);
  return whole < 60
    ? `${value} s`
    : whole < 3600
      ? `${Math.floor(whole / 60)} min ${whole % 60} s`
      : `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

function text(value: JsonValue | undefined): string {
  return escapedHtml(plain(value));
}

function plain(value: JsonValue | undefined): string {
  return value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function object(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

function strings(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).map(plain) : [];
}

function amount(value: JsonValue | undefined): number {
  return typeof value === 'number' && value >= 0 ? value : 0;
}
