import type { BootReport, DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { Vm } from '../../../shared/model/vm.ts';

/** What a console says of its guest. */
export type ConsoleSign =
  | { readonly sign: 'none' }
  | { readonly sign: 'login'; readonly line: string }
  | { readonly sign: 'stopped'; readonly line: string };

/** Lines after which a guest does not come up by waiting. */
const reasons: readonly RegExp[] = [
  /Gave up waiting for (root|suspend\/resume|ROOT)\b.*device/i,
  /Kernel panic - not syncing.*/,
  /dracut-initqueue\[\d+\]: .*timeout.*starting timeout scripts/,
  /No bootable device.*/i,
  /Boot failed: not a bootable disk/i,
  /BdsDxe: No bootable option or device was found.*/,
  /INACCESSIBLE_BOOT_DEVICE/,
];
/** Where a guest or its firmware waits for somebody at the keyboard. Why it does, stands further up. */
const waits: readonly RegExp[] = [
  /Entering emergency mode.*/,
  /You are in emergency mode.*/,
  /^\(initramfs\)\s*$/m,
  /grub rescue>/,
  /UEFI Interactive Shell.*/,
  /^Shell> ?$/m,
];
/** What is no end by itself: the next entry of a boot list may work. */
const hints: readonly RegExp[] = [
  /BdsDxe: failed to load.*/,
  /Failed to mount .* as root file system/,
  /Warning: \/dev\/\S+ does not exist/,
  /error: (no such device|unknown filesystem|no such partition).*/,
];
const login = /^.*\blogin: ?$/m;

/** Reads the console's text; what comes last counts, because a guest may have been started more than once. */
export function readConsole(text: string): ConsoleSign {
  const plain = withoutEscapes(text);
  const stop = last(plain, [...reasons, ...waits]);
  const prompt = last(plain, [login]);
  if (stop !== undefined && (prompt === undefined || stop.index > prompt.index)) return { sign: 'stopped', line: reasonOf(plain.slice(prompt?.index ?? 0)) ?? stop.text };
  return prompt === undefined ? { sign: 'none' } : { sign: 'login', line: prompt.text };
}

/** Why it stopped, when more is told than where it waits now. */
function reasonOf(text: string): string | undefined {
  return (last(text, reasons) ?? last(text, hints))?.text;
}

/** Without what moves the cursor or sets colours. */
export function withoutEscapes(text: string): string {
  return text.replaceAll(/\u001b(?:\[[0-9;?=]*[ -/]*[@-~]|\][^\u0007]*\u0007|[@-Z\\-_])/g, '').replaceAll(/\r+\n?/g, '\n').replaceAll('\u0000', '');
}

/** How long a login on the console waits for the network to answer as well, in seconds. */
const networkGraceSeconds = 60;

export interface BootSigns {
  readonly console: ConsoleSign;
  /** Where it answered. */
  readonly answeredAt: string | undefined;
  /** Whether there was anything to ask over the network. */
  readonly askedAt: readonly string[];
  /** Since the server was started. */
  readonly elapsedSeconds: number;
  /** Since the console showed a login. */
  readonly loginForSeconds: number;
}

/** What to conclude from the signs so far; undefined: wait on. */
export function bootVerdict(
  osType: Vm['os_type'], options: NonNullable<DeploymentOptions['bootCheck']>, deadlineSeconds: number, signs: BootSigns,
): Pick<BootReport, 'outcome' | 'evidence'> | undefined {
  const { mode = 'auto' } = options;
  const { console: sign, answeredAt, askedAt } = signs;
  const isOver = signs.elapsedSeconds >= deadlineSeconds;
  const asked = askedAt.length === 0 ? 'it has no address to ask' : `${askedAt.join(', ')} did not answer`;
  if (answeredAt !== undefined && mode !== 'console') return { outcome: 'up', evidence: `${answeredAt} answers` };
  if (sign.sign === 'stopped') return { outcome: 'failed', evidence: `the console says: ${sign.line}` };
  if (sign.sign === 'login') {
    if (mode === 'console') return { outcome: 'up', evidence: `the console shows: ${sign.line}` };
    if (mode === 'auto' && (isOver || askedAt.length === 0 || signs.loginForSeconds >= networkGraceSeconds)) {
      return { outcome: 'up', evidence: `the console shows: ${sign.line}; ${asked} from here` };
    }
    if (isOver) return { outcome: 'failed', evidence: `the console shows: ${sign.line}; but ${asked} within ${deadlineSeconds} s` };
    return undefined;
  }
  if (!isOver) return undefined;
  // A Windows guest has no login on a serial console, and its firewall may keep every port shut.
  if (osType === 'windows' && mode === 'auto') return { outcome: 'unproven', evidence: `${asked} within ${deadlineSeconds} s, and its console tells nothing` };
  return { outcome: 'failed', evidence: `no login on the console${mode === 'console' ? '' : `, and ${asked}`}, within ${deadlineSeconds} s` };
}

function last(text: string, patterns: readonly RegExp[]): { readonly index: number; readonly text: string } | undefined {
  let found: { index: number; text: string } | undefined;
  for (const pattern of patterns) {
    for (const match of text.matchAll(new RegExp(pattern.source, [...new Set(`${pattern.flags}g`)].join('')))) {
      if (found === undefined || match.index > found.index) found = { index: match.index, text: match[0].trim() };
    }
  }
  return found;
}
