import { expect, test } from 'vitest';
import type { AfterBootCheck } from '../../../shared/model/after-boot-check.ts';
import { readChecks, valuesOfCheck } from './check-values.ts';

test('checks come back from the form as they were', () => {
  const checks: readonly AfterBootCheck[] = [
    { kind: 'port', port: 5432, timeoutSeconds: 300 }, { kind: 'http', scheme: 'https', host: 'shop.example.com', path: '/health', status: 200, text: 'ready', onFailure: 'warn' },
    { kind: 'login-prompt' }, { kind: 'ssh', name: 'Database', username: 'admin', secret: 'guest-key', hostKey: 'ssh-ed25519 AAAA', command: 'systemctl is-active postgresql', exitStatus: 0 },
  ];
  expect(readChecks(checks.map(valuesOfCheck))).toEqual({ checks });
});

test('what is missing or wrong is said by place and field; fields of another kind count for nothing', () => {
  const values = valuesOfCheck({ kind: 'port', port: 443 });
  const read = readChecks([values, { ...values, port: 'x' }, { ...values, kind: 'ssh', port: '' }]);
  expect('problems' in read ? [...read.problems.keys()] : []).toEqual(['1.port', '2.username', '2.secret', '2.hostKey', '2.command']);
  expect(readChecks([{ ...values, kind: 'login-prompt' }])).toEqual({ checks: [{ kind: 'login-prompt' }] });
});
