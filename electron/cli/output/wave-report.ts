import { bytes } from '../../../shared/model/quantities.ts';
import type { WaveDetail } from '../../../shared/model/wave.ts';
import { runText, windowText } from './wave-text.ts';

/** Where a wave stands, as Markdown for a ticket or a wiki. */
export function waveReport(wave: WaveDetail, at: Date): string {
  const names = new Map(wave.memberList.map(({ replicaId, name }) => [replicaId, name]));
  const facts: readonly (readonly [string, string | number | undefined])[] = [
    ['Owner', wave.plan?.owner],
    ['Window', windowText(wave.plan)],
    ['Members', wave.members],
    ['Ready', `${wave.ready} of ${wave.members}`],
    ['Synchronised', wave.synchronised],
    ['Rehearsed', wave.rehearsed],
    ['Moved', wave.moved],
    ['Failed', wave.failed],
    ['Disks', bytes(wave.bytes)],
    ['Latest action', runText(wave.run)],
  ];
  return [
    `# ${cell(wave.name)}`,
    '',
    ...(wave.plan?.description === undefined ? [] : [cell(wave.plan.description), '']),
    `As of ${at.toISOString()}.`,
    '',
    rows(
      ['Fact', 'Value'],
      facts.filter(([, value]) => value !== undefined),
    ),
    '',
    '## Members',
    '',
    rows(
      ['Replica', 'Group', 'State', 'Synchronised', 'Rehearsed', 'Moved', 'Attempts', 'Problem'],
      wave.memberList.map((member) => [
        member.name,
        wave.groups[member.group]?.name,
        member.state,
        member.synchronisedAt,
        member.rehearsedAt,
        member.movedAt,
        member.attempts,
        member.error?.code ?? (member.errors === 0 ? undefined : `${member.errors} errors`),
      ]),
    ),
    '',
    '## What holds members back',
    '',
    wave.causes.length === 0
      ? 'Nothing.'
      : rows(
          ['Severity', 'Cause', 'Replicas'],
          wave.causes.map(({ severity, message, replicas }) => [
            severity,
            message,
            replicas.flatMap((id) => names.get(id) ?? []).join(', '),
          ]),
        ),
    '',
  ].join('\n');
}

function rows(headings: readonly string[], lines: readonly (readonly (string | number | undefined)[])[]): string {
  const line = (cells: readonly (string | number | undefined)[]): string =>
    `| ${cells.map((one) => cell(one === undefined ? '–' : String(one))).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...lines.map(line)].join('\n');
}

/** Names come from servers: nothing in them may become markup. */
function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>#|~!&]/g, (mark) => `\\${mark}`);
}
