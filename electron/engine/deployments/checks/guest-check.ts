import type { GuestCheck } from '../../../../shared/model/after-boot-check.ts';
import { quoted } from '../../transport/winrm/winrm-connection.ts';
import { cleanAnswer, cleanAnswerEnd } from './clean-answer.ts';
import { runBySsh, runByWinrm, type GuestAnswer, type GuestPatience } from './guest-login.ts';

export interface GuestMeans {
  /** A private key as PEM, or a password. */
  readonly credential: string;
  /** Removes secrets from a text. */
  readonly clean: (text: string) => string;
  readonly patience: GuestPatience;
}

/** Runs in the guest what the check asks for. @throws Error that says what is not as expected */
export async function checkGuest(
  check: GuestCheck,
  host: string,
  means: GuestMeans,
  signal: AbortSignal,
): Promise<string> {
  const where = `${check.username}@${host}`;
  switch (check.kind) {
    case 'ssh': {
      const answer = await runBySsh(check, host, means.credential, { command: check.command }, means.patience, signal);
      return judge(`${where}: the command`, answer, check, said(answer, means));
    }
    case 'winrm': {
      const answer = await runByWinrm(
        check,
        host,
        means.credential,
        { script: `${check.command}\n${exitLikeLast}` },
        means.patience,
        signal,
      );
      return judge(
        `${where}: the command`,
        answer,
        { text: check.text, exitStatus: (check.exitStatus ?? 0) | 0 },
        said(answer, means),
      );
    }
    case 'script': {
      const answer = await (check.via === 'ssh'
        ? runBySsh(
            check,
            host,
            means.credential,
            { command: check.interpreter ?? '/bin/sh -s', input: unixText(check.script) },
            means.patience,
            signal,
          )
        : runByWinrm(
            check,
            host,
            means.credential,
            { script: runInput, input: scriptLines(check.script) },
            means.patience,
            signal,
          ));
      return judge(`${where}: the script`, answer, check, lastLines(answer, means));
    }
    case 'agent': {
      const answer = await (check.via === 'ssh'
        ? runBySsh(
            check,
            host,
            means.credential,
            { command: '/bin/sh -s', input: unixText(serviceScript(check.service)) },
            means.patience,
            signal,
          )
        : runByWinrm(
            check,
            host,
            means.credential,
            { script: windowsServiceScript(check.service) },
            means.patience,
            signal,
          ));
      const state = said(answer, means);
      if (answer.code !== 0)
        throw new Error(`${where}: service ${check.service} does not run${state === '' ? '' : `: ${state}`}`);
      return `${where}: service ${check.service} runs${state === '' ? '' : `: ${state}`}`;
    }
    default:
      return check satisfies never;
  }
}

function judge(
  what: string,
  { code, stdout }: GuestAnswer,
  { exitStatus = 0, text }: { readonly exitStatus?: number | undefined; readonly text?: string | undefined },
  output: string,
): string {
  if (code !== exitStatus)
    throw new Error(
      `${what} ended with status ${code ?? 'of a signal'} instead of ${exitStatus}${output === '' ? '' : `: ${output}`}`,
    );
  if (text !== undefined && !stdout.includes(text))
    throw new Error(`${what}: the output does not contain "${cleanAnswer(text)}": ${output}`);
  return `${what} ended with status ${code}${output === '' ? '' : `: ${output}`}`;
}

/** Secrets go first: of one that is cut off later, a part would stay. */
function said({ stdout, stderr }: GuestAnswer, { clean }: GuestMeans): string {
  return cleanAnswer(clean(stdout.trim() === '' ? stderr : stdout));
}

/** Of a script, what it printed last, errors behind the output. */
function lastLines({ stdout, stderr }: GuestAnswer, { clean }: GuestMeans): string {
  return cleanAnswerEnd(
    clean(
      [stdout, stderr]
        .map((text) => text.trim())
        .filter((text) => text !== '')
        .join('\n'),
    ),
  );
}

/** As an editor on Windows may have saved it: with a byte order mark and CRLF, which shells take for a part of the commands. */
function unixText(script: string): Buffer {
  const text = script.replace(/^\ufeff/u, '').replaceAll('\r\n', '\n');
  return Buffer.from(text.endsWith('\n') ? text : `${text}\n`);
}

/** PowerShell itself makes 1 of every exit code of a program. */
const exitLikeLast = 'if (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE }; exit 1 }\nexit 0';

/** The script comes on standard input, as command lines are limited; in base64, as the code page of the console is not known. */
const runInput = [
  'try {',
  '  $text = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String(-join @($input)))',
  '  . ([ScriptBlock]::Create($text))',
  '} catch {',
  '  [Console]::Error.WriteLine($_.ToString())',
  '  exit 1',
  '}',
].join('\n');

function scriptLines(script: string): Buffer {
  const text = `${script.replace(/^\ufeff/u, '')}\n${exitLikeLast}\n`;
  return Buffer.from(
    `${(
      Buffer.from(text)
        .toString('base64')
        .match(/.{1,4000}/g) ?? []
    ).join('\n')}\n`,
  );
}

/**
 * Asks whichever service manager the guest has. The name has no character that a shell interprets.
 * @param systemd there while systemd runs
 */
export function serviceScript(service: string, systemd = '/run/systemd/system'): string {
  return [
    'PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin; export PATH; LC_ALL=C; export LC_ALL',
    `name='${service}'`,
    `if [ -d ${systemd} ] && command -v systemctl >/dev/null 2>&1; then`,
    '  exec systemctl is-active "$name" </dev/null',
    'fi',
    'if command -v rc-service >/dev/null 2>&1; then said=$(rc-service "$name" status </dev/null 2>&1); code=$?',
    'elif command -v service >/dev/null 2>&1; then said=$(service "$name" status </dev/null 2>&1); code=$?',
    'elif [ -x "/etc/init.d/$name" ]; then said=$("/etc/init.d/$name" status </dev/null 2>&1); code=$?',
    'else said="the guest has no service manager that is known"; code=4',
    'fi',
    'printf "%s\\n" "$said"',
    '# Upstart ends with 0 also for what is stopped.',
    'case "$said" in *stop/waiting*) exit 3 ;; esac',
    'exit "$code"',
  ].join('\n');
}

/** cloudbase-init ends when it has done its work; the exit code of a service that was never started is 1077. */
function windowsServiceScript(service: string): string {
  return [
    `$service = Get-Service -Name ${quoted(service)} -ErrorAction SilentlyContinue`,
    "if ($null -eq $service) { 'there is no such service'; exit 4 }",
    '"$($service.Status)"',
    "if ($service.Status -eq 'Running') { exit 0 }",
    ...(service.toLowerCase() === 'cloudbase-init'
      ? [
          `$ended = (Get-CimInstance -ClassName Win32_Service -Filter "Name='cloudbase-init'").ExitCode`,
          'if ($service.Status -eq \'Stopped\' -and $ended -eq 0) { "it has done its work, exit code $ended"; exit 0 }',
          '"exit code $ended"',
        ]
      : []),
    'exit 3',
  ].join('\n');
}
