import { isErrorCode } from '../../../shared/model/causeway-error.ts';
import { errorText } from '../../../shared/model/errors/catalogue.ts';
import type { GuestFound } from '../../../shared/model/guest-inspection.ts';
import { pairs, table } from './print.ts';

/** With the title and the remedy of its code. */
export const explained = ({ code, message }: GuestFound['findings'][number]) => ({
  code,
  message,
  ...(isErrorCode(code) ? { title: errorText(code).title, remedy: errorText(code).remedy } : {}),
});

/** What was found in a guest, for people. */
export function foundText({ dossier, supported, findings, changes, files, doubts }: GuestFound): string {
  const facts = pairs({
    System: dossier.name,
    'Host name': dossier.hostname,
    Architecture: dossier.architecture,
    Firmware: dossier.firmware,
    'Boot loader': dossier.bootloader,
    Kernels: dossier.kernels.join(', '),
    Root: dossier.root.id,
    Network: dossier.network.join(', '),
    'cloud-init': dossier.cloudInit ?? 'not installed',
    'Tools of the source':
      Object.entries(dossier.hypervisorTools)
        .map(([platform, names]) => `${platform}: ${names.join(', ')}`)
        .join('; ') || 'none',
  });
  const verdict = !supported
    ? 'OSMorphing does not support this system.'
    : findings.length > 0
      ? 'OSMorphing would stop:'
      : 'OSMorphing would not stop at anything that was found.';
  return [
    facts,
    verdict,
    findings.map(told).join('\n'),
    doubts.length === 0 ? '' : `Doubtful:\n\n${groups(doubts).map(told).join('\n')}`,
    changes.length === 0
      ? ''
      : `It would change:\n\n${changes.map(({ title, notes }) => `${title}\n${notes.map((note) => `  ${note}\n`).join('')}`).join('')}`,
    table(
      ['change', 'file'],
      files.map(({ change, path }) => [change, path]),
    ),
  ]
    .filter((part) => part !== '')
    .map((part) => `${part.trimEnd()}\n`)
    .join('\n');
}

function told(item: { readonly code: string; readonly message: string }): string {
  const { code, message, title = code, remedy = '' } = explained(item);
  return `${title} [${code}]\n${message
    .split('\n')
    .map((line) => `  ${line}\n`)
    .join('')}  ${remedy}\n`;
}

/** One for each code: its remedy is said once. */
function groups(doubts: GuestFound['doubts']): GuestFound['doubts'] {
  return [...Map.groupBy(doubts, ({ code }) => code)].map(([code, each]) => ({
    code,
    message: each.map(({ message }) => message).join('\n'),
  }));
}
