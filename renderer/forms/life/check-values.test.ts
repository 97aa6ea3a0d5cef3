import { expect, test } from 'vitest';
import type { AfterBootCheck } from '../../../shared/model/after-boot-check.ts';
import { readChecks, valuesOfCheck } from './check-values.ts';

test('checks come back from the form as they were', () => {
  const checks: readonly AfterBootCheck[] = [
    { kind: 'port', port: 5432, timeoutSeconds: 300 },
    {
      kind: 'http',
      scheme: 'https',
      host: 'shop.example.com',
      path: '/health',
      status: 200,
      text: 'ready',
      onFailure: 'warn',
    },
    { kind: 'login-prompt' },
    {
      kind: 'ssh',
      name: 'Database',
      username: 'admin',
      secret: 'guest-key',
      hostKey: 'ssh-ed25519 AAAA',
      command: 'systemctl is-active postgresql',
      exitStatus: 0,
    },
    {
      kind: 'winrm',
      username: 'LAB\\anna',
      secret: 'guest',
      command: 'Get-Date',
      port: 15_986,
      certificateSha256: 'ab'.repeat(32),
    },
    {
      kind: 'script',
      via: 'ssh',
      username: 'admin',
      secret: 'guest-key',
      hostKey: 'ssh-ed25519 AAAA',
      script: '  #!/bin/sh\ntrue\n',
      interpreter: 'bash -s',
      text: 'ok',
    },
    { kind: 'script', via: 'winrm', username: 'anna', secret: 'guest', script: 'exit 0\r\n' },
    { kind: 'agent', via: 'winrm', username: 'anna', secret: 'guest', service: 'cloudbase-init' },
    {
      kind: 'agent',
      via: 'ssh',
      username: 'admin',
      secret: 'guest-key',
      hostKey: 'ssh-ed25519 AAAA',
      service: 'qemu-guest-agent',
    },
  ];
  expect(readChecks(checks.map(valuesOfCheck))).toEqual({ checks });
});

test('what is missing or wrong is said by place and field; fields of another kind count for nothing', () => {
  const values = valuesOfCheck({ kind: 'port', port: 443 });
  const read = readChecks([values, { ...values, port: 'x' }, { ...values, kind: 'ssh', port: '' }]);
  expect('problems' in read ? [...read.problems.keys()] : []).toEqual([
    '1.port',
    '2.username',
    '2.secret',
    '2.hostKey',
    '2.command',
  ]);
  const guest = readChecks([
    { ...values, kind: 'script' },
    { ...values, kind: 'agent', via: 'winrm', service: 'a;b', hostKey: 'of another connection' },
  ]);
  expect('problems' in guest ? [...guest.problems.keys()] : []).toEqual([
    '0.username',
    '0.secret',
    '0.hostKey',
    '0.script',
    '1.username',
    '1.secret',
    '1.service',
  ]);
  expect(readChecks([{ ...values, kind: 'login-prompt' }])).toEqual({ checks: [{ kind: 'login-prompt' }] });
});
