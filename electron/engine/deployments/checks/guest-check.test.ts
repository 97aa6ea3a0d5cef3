import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { afterBootCheckSchema } from '../../../../shared/model/after-boot-check.ts';
import { checkLoginUses } from '../../core/trust/check-logins.ts';
import { serviceScript } from './guest-check.ts';

describe.skipIf(process.platform === 'win32')('the state of a service', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'causeway-service-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the script with these programs in front of all others. */
  function ask(
    programs: Readonly<Record<string, string>>,
    hasSystemd = false,
  ): { readonly code: number | null; readonly said: string } {
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(folder, name), 0o755);
    }
    const systemd = join(folder, 'systemd');
    if (hasSystemd) mkdirSync(systemd);
    const { status, stdout } = spawnSync('/bin/sh', ['-s'], {
      input: serviceScript('qemu-guest-agent', systemd),
      env: { PATH: `${folder}:/usr/bin:/bin` },
      encoding: 'utf8',
    });
    return { code: status, said: stdout.trim() };
  }

  test('is asked of systemd where it runs', () => {
    expect(ask({ systemctl: 'echo "$*"; exit 0', service: 'exit 9' }, true)).toEqual({
      code: 0,
      said: 'is-active qemu-guest-agent',
    });
    rmSync(join(folder, 'systemd'), { recursive: true });
    expect(ask({ systemctl: 'echo inactive; exit 3' }, true)).toEqual({ code: 3, said: 'inactive' });
  });

  test('is asked of OpenRC or of SysV init elsewhere, even if systemctl is there', () => {
    expect(ask({ systemctl: 'exit 1', 'rc-service': 'echo "$* started"' })).toEqual({
      code: 0,
      said: 'qemu-guest-agent status started',
    });
    rmSync(join(folder, 'rc-service'));
    expect(ask({ service: 'echo "$1 is stopped"; exit 3' })).toEqual({ code: 3, said: 'qemu-guest-agent is stopped' });
  });

  test('is not "running" because Upstart ends with 0', () => {
    expect(ask({ service: 'echo "$1 stop/waiting"' })).toEqual({ code: 3, said: 'qemu-guest-agent stop/waiting' });
    expect(ask({ service: 'echo "$1 start/running, process 812"' }).code).toBe(0);
  });
});

describe('the description of a check in the guest', () => {
  const ssh = { via: 'ssh', username: 'root', secret: 'guest', hostKey: 'ssh-ed25519 AAAA' };
  const winrm = {
    via: 'winrm',
    username: 'LAB\\Administrator',
    secret: 'guest',
    certificateSha256: 'Ab:'.repeat(31).concat('cd'),
  };

  test.each([
    { kind: 'winrm', username: 'Administrator', secret: 'guest', command: 'Get-Date', exitStatus: -1 },
    { kind: 'script', ...ssh, script: 'set -e\n\ttrue\n', interpreter: 'sudo -n /bin/bash -s' },
    { kind: 'script', ...winrm, script: "Get-Service 'x'" },
    { kind: 'agent', ...ssh, service: 'getty@tty1.service' },
    { kind: 'agent', ...winrm, service: 'Zabbix Agent' },
    { kind: 'agent', ...winrm, service: 'MSSQL$SQLEXPRESS' },
  ])('is taken: $kind $via $service', (check) => {
    expect(afterBootCheckSchema.safeParse(check)).toMatchObject({ success: true, data: check });
  });

  test.each([
    ...['a;reboot', '$(reboot)', '-H', "a'b", 'a b', 'a\nb', '', '../x', 'a/b'].map((service) => ({
      kind: 'agent',
      ...ssh,
      service,
    })),
    ...['a*', "a'; reboot", 'a"b', 'a`b', '[a]', ' a', 'a\n'].map((service) => ({ kind: 'agent', ...winrm, service })),
    ...['sh; reboot', 'sh | tee', '$SHELL', 'sh > x', '-s', ''].map((interpreter) => ({
      kind: 'script',
      ...ssh,
      script: 'true',
      interpreter,
    })),
    { kind: 'script', ...winrm, script: 'x', interpreter: 'cmd' },
    { kind: 'script', ...ssh, script: ' \n' },
    { kind: 'script', ...ssh, script: 'a\u0000b' },
    { kind: 'script', ...ssh, script: 'x'.repeat(32_769) },
    { kind: 'script', ...ssh, scriptFile: '/etc/passwd' },
    { kind: 'script', ...winrm, hostKey: 'ssh-ed25519 AAAA', script: 'x' },
    { kind: 'script', username: 'root', secret: 'guest', hostKey: 'ssh-ed25519 AAAA', script: 'x' },
    { kind: 'winrm', username: 'a:b', secret: 'guest', command: 'x' },
    { kind: 'winrm', username: 'a', secret: 'guest', command: 'x', certificateSha256: 'abcd' },
  ])('is refused: %j', (check) => {
    expect(afterBootCheckSchema.safeParse(check).success).toBe(false);
  });

  test('has to be accepted again when anything changes of what runs with the secret, or of whom it is sent to', () => {
    const keys = [
      { kind: 'script', ...ssh, script: 'true' },
      { kind: 'script', ...ssh, script: 'false' },
      { kind: 'script', ...ssh, script: 'true', interpreter: 'bash' },
      { kind: 'script', ...ssh, script: 'true', hostKey: 'ssh-ed25519 BBBB' },
      { kind: 'script', ...winrm, script: 'true' },
      { kind: 'script', ...winrm, script: 'true', certificateSha256: 'ee'.repeat(32) },
      { kind: 'script', ...winrm, script: 'true', certificateSha256: undefined },
      { kind: 'agent', ...ssh, service: 'a' },
      { kind: 'agent', ...ssh, service: 'b' },
      { kind: 'agent', ...winrm, service: 'a' },
      { kind: 'winrm', username: 'a', secret: 'guest', command: 'true' },
      { kind: 'winrm', username: 'a', secret: 'guest', command: 'false' },
      { kind: 'ssh', username: 'root', secret: 'guest', hostKey: 'ssh-ed25519 AAAA', command: 'true' },
    ]
      .map((check) => checkLoginUses(afterBootCheckSchema.parse(check)))
      .map(([use]) => use?.key);
    expect(new Set(keys).size).toBe(keys.length);
    const [long] = checkLoginUses(
      afterBootCheckSchema.parse({ kind: 'script', ...ssh, script: `true\n${'x'.repeat(5000)}` }),
    );
    expect(long?.value).toMatch(
      /^guest as root: script with SHA-256 [0-9a-f]{64}: true\nx+ … \(1005 more characters\)$/,
    );
  });
});
