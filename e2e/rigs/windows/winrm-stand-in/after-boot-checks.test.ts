import { afterEach, describe, expect, test } from 'vitest';
import { runChecks } from '../../../../electron/engine/deployments/checks/run-checks.ts';
import { systemClock, type Clock } from '../../../../electron/engine/time/clock.ts';
import type { AfterBootCheck, CheckResult } from '../../../../shared/model/after-boot-check.ts';
import {
  startWinrmStandIn,
  type CommandAnswer,
  type ReceivedCommand,
  type WinrmStandIn,
  type WinrmStandInOptions,
} from './start.ts';

const open: WinrmStandIn[] = [];
afterEach(async () => {
  for (const guest of open.splice(0)) {
    await guest.close();
    expect(guest.violations).toEqual([]);
    expect(guest.openShells()).toBe(0);
  }
});

async function guestOf(
  run: (command: ReceivedCommand) => CommandAnswer,
  options: WinrmStandInOptions = {},
): Promise<WinrmStandIn> {
  const guest = await startWinrmStandIn(run, options);
  open.push(guest);
  return guest;
}

/** Pauses take no time, and are noted. */
function hurried(pauses: number[] = []): Clock {
  let now = 0;
  return { ...systemClock, monotonic: () => now, sleep: async (ms) => void ((now += ms), pauses.push(ms)) };
}

async function check(
  guest: WinrmStandIn,
  given: object,
  more: { password?: string; clock?: Clock } = {},
): Promise<CheckResult> {
  const whole = {
    username: guest.username,
    secret: 'guest',
    certificateSha256: guest.certificateSha256,
    port: guest.port,
    timeoutSeconds: 5,
    ...given,
  } as AfterBootCheck;
  const server = { addresses: ['127.0.0.1'], console: undefined, credential: () => more.password ?? guest.password };
  const [result] = await runChecks(
    [whole],
    server,
    { clock: more.clock ?? hurried(), clean: (text) => text.replaceAll('hunter2', '[secret]') },
    new AbortController().signal,
  );
  return result!;
}

/** The script that reads another one from its input. */
function inputScript({ input }: ReceivedCommand): string {
  return Buffer.from(input.toString().replaceAll('\n', ''), 'base64').toString('utf8');
}

describe('a check by WinRM', () => {
  test.each(['basic', 'ntlm'] as const)('runs a PowerShell command, signed in by %s', async (authentication) => {
    const guest = await guestOf(
      ({ script }) =>
        script.includes('Get-Date') ? { stdout: 'Friday hunter2\r\n' } : { stderr: 'no such thing\r\n', exitCode: 5 },
      { authentication },
    );
    expect(await check(guest, { kind: 'winrm', command: 'Get-Date', text: 'Friday' })).toMatchObject({
      name: 'WinRM: Get-Date',
      kind: 'winrm',
      outcome: 'passed',
      evidence: `${guest.username}@127.0.0.1: the command ended with status 0: Friday [secret]`,
    });
    expect(guest.commands[0]?.script).toContain(
      'Get-Date\nif (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE }; exit 1 }',
    );
    expect(await check(guest, { kind: 'winrm', command: 'Get-Date', text: 'Monday' })).toMatchObject({
      outcome: 'failed',
      evidence: expect.stringContaining('does not contain "Monday"') as string,
    });
    expect(await check(guest, { kind: 'winrm', command: 'Other' })).toMatchObject({
      outcome: 'failed',
      evidence: expect.stringContaining('ended with status 5 instead of 0: no such thing') as string,
    });
    expect(await check(guest, { kind: 'winrm', command: 'Other', exitStatus: 5 })).toMatchObject({ outcome: 'passed' });
    expect([...guest.schemes]).toEqual([authentication === 'basic' ? 'Basic' : 'Negotiate']);
  });

  test('sends neither name nor password to a guest with another certificate, or when the check names none: it says which one the guest has', async () => {
    const guest = await guestOf(() => ({}));
    expect(await check(guest, { kind: 'winrm', command: 'x', certificateSha256: 'ab'.repeat(32) })).toMatchObject({
      outcome: 'failed',
      attempts: 1,
      evidence: expect.stringContaining(`received ${guest.certificateSha256}`) as string,
    });
    expect(
      await check(guest, { kind: 'winrm', command: 'x', certificateSha256: undefined, onFailure: 'warn' }),
    ).toMatchObject({
      outcome: 'warned',
      attempts: 1,
      evidence: `WinRM on 127.0.0.1:${guest.port} has the certificate with SHA-256 ${guest.certificateSha256}. The check names none: compare it in the guest, then enter it`,
    });
    expect(guest.requests()).toBe(0);
  });

  test('tries a wrong password only three times, with long pauses: Windows locks accounts', async () => {
    const guest = await guestOf(() => ({}));
    const pauses: number[] = [];
    expect(
      await check(
        guest,
        { kind: 'winrm', command: 'x', timeoutSeconds: 3600 },
        { password: 'wrong', clock: hurried(pauses) },
      ),
    ).toMatchObject({ outcome: 'failed', attempts: 3 });
    expect(pauses).toEqual([10_000, 10_000]);
  });

  test('is repeated until the guest answers', async () => {
    let asked = 0;
    const guest = await guestOf(() => ((asked += 1) < 3 ? { exitCode: 1 } : { stdout: 'ready' }));
    expect(await check(guest, { kind: 'winrm', command: 'x', timeoutSeconds: 60 })).toMatchObject({
      outcome: 'passed',
      attempts: 3,
    });
  });
});

describe('a script by WinRM', () => {
  test('comes on standard input as it was written, whatever its length', async () => {
    const scripts: string[] = [];
    const guest = await guestOf((command) => {
      scripts.push(inputScript(command));
      return { stdout: 'first\r\nsecond\r\n', stderr: 'a warning\r\n' };
    });
    const script = `param([int]$least = 1)\n# Prüfung\n${'Write-Output "größer"\n'.repeat(1400)}`;
    expect(await check(guest, { kind: 'script', via: 'winrm', script: `\ufeff${script}` })).toMatchObject({
      name: 'Script by WinRM: param([int]$least = 1)',
      outcome: 'passed',
      evidence: `${guest.username}@127.0.0.1: the script ended with status 0: first | second | a warning`,
    });
    expect(scripts[0]?.startsWith(`${script}\nif (-not $?)`)).toBe(true);
    expect(guest.commands[0]?.script).toContain('[ScriptBlock]::Create($text)');
  });

  test('fails with its exit code', async () => {
    const guest = await guestOf(() => ({ stdout: 'disk D: is missing', exitCode: 3 }));
    expect(await check(guest, { kind: 'script', via: 'winrm', script: 'exit 3' })).toMatchObject({
      outcome: 'failed',
      evidence: expect.stringContaining('the script ended with status 3 instead of 0: disk D: is missing') as string,
    });
  });
});

describe('a service by WinRM', () => {
  test('has to run', async () => {
    const guest = await guestOf(({ script }) =>
      script.includes("-Name 'MSSQL$SQLEXPRESS'") ? { stdout: 'Running\r\n' } : { stdout: 'Stopped\r\n', exitCode: 3 },
    );
    expect(await check(guest, { kind: 'agent', via: 'winrm', service: 'MSSQL$SQLEXPRESS' })).toMatchObject({
      name: 'Service MSSQL$SQLEXPRESS runs',
      outcome: 'passed',
      evidence: expect.stringMatching(/service MSSQL\$SQLEXPRESS runs: Running$/) as string,
    });
    expect(await check(guest, { kind: 'agent', via: 'winrm', service: 'QEMU-GA' })).toMatchObject({
      outcome: 'failed',
      evidence: expect.stringMatching(/service QEMU-GA does not run: Stopped$/) as string,
    });
    expect(guest.commands.every(({ script }) => !script.includes('Win32_Service'))).toBe(true);
    await check(guest, { kind: 'agent', via: 'winrm', service: 'cloudbase-init' });
    expect(guest.commands.at(-1)?.script).toContain('Win32_Service');
  });
});
