import { createHash } from 'node:crypto';
import { isGuestCheck, type AfterBootCheck, type GuestCheck } from '../../../../shared/model/after-boot-check.ts';
import type { EnvironmentUse } from '../../trust/environment-uses.ts';

/** Of a script, characters that are shown. */
const mostShown = 4000;

/**
 * What a check uses that has to be accepted on this computer: a secret, the user name that it is sent with, the guest's key or certificate, and what is run. Whoever shares
 * the project can change each of them in its files.
 */
export function checkLoginUses(check: AfterBootCheck): EnvironmentUse[] {
  if (!isGuestCheck(check)) return [];
  const { secret, username } = check;
  const use = (how: 'SSH' | 'WinRM', what: string, key: readonly string[]): EnvironmentUse[] => [
    {
      kind: 'secret',
      label: `Check by ${how}`,
      value: `${secret} as ${username}: ${what}`,
      key: JSON.stringify(['check-login', secret, username, ...key]),
    },
  ];
  const how = 'hostKey' in check ? 'SSH' : 'WinRM';
  switch (check.kind) {
    case 'ssh':
      return use(how, check.command, [check.hostKey, check.command]);
    case 'winrm':
      return use(how, check.command, [peerOf(check), 'winrm', check.command]);
    case 'script': {
      const interpreter = check.via === 'ssh' ? (check.interpreter ?? '') : '';
      const sha256 = createHash('sha256').update(check.script).digest('hex');
      const shown =
        check.script.length <= mostShown
          ? check.script
          : `${check.script.slice(0, mostShown)} … (${check.script.length - mostShown} more characters)`;
      return use(how, `script with SHA-256 ${sha256}${interpreter === '' ? '' : `, run by ${interpreter}`}: ${shown}`, [
        peerOf(check),
        'script',
        interpreter,
        sha256,
      ]);
    }
    case 'agent':
      return use(how, `state of service ${check.service}`, [peerOf(check), 'agent', check.service]);
    default:
      return check satisfies never;
  }
}

/** The guest's host key or certificate, without which it gets no secret. */
function peerOf(check: GuestCheck): string {
  return 'hostKey' in check
    ? check.hostKey
    : `certificate ${check.certificateSha256?.replaceAll(':', '').toLowerCase() ?? 'none'}`;
}
