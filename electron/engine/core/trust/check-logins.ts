import type { AfterBootCheck } from '../../../../shared/model/after-boot-check.ts';
import type { EnvironmentUse } from '../../trust/environment-uses.ts';

/**
 * What a check uses that has to be accepted on this computer: a secret, the user name that it is sent with, and the command. Whoever shares the
 * project can change each of them in its files.
 */
export function checkLoginUses(check: AfterBootCheck): EnvironmentUse[] {
  if (check.kind !== 'ssh') return [];
  const { secret, username, hostKey, command } = check;
  return [{
    kind: 'secret', label: 'Check by SSH', value: `${secret} as ${username}: ${command}`,
    key: JSON.stringify(['check-login', secret, username, hostKey, command]),
  }];
}
