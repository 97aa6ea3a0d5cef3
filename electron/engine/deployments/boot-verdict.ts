import type { BootReport, DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import type { ConsoleReading } from './console-signs.ts';

/** How long signs have to last before they count, in seconds, and how often is looked for them. */
export interface BootPatience {
  /** How long a login on the console waits for the network to answer as well. */
  readonly networkSeconds: number;
  /** How long a stop has to stay the console's last sign: some guests restart by themselves after a panic. */
  readonly stopSeconds: number;
  /** How long a login has to stay the console's last sign where nothing else can confirm it: a guest can stop right after its prompt. */
  readonly loginSeconds: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export const usualBootPatience: BootPatience = {
  networkSeconds: 60,
  stopSeconds: 10,
  loginSeconds: 5,
  firstPauseMs: 500,
  longestPauseMs: 5_000,
};

export interface BootSigns {
  /** False where the platform has no console that can be read. */
  readonly hasConsole?: boolean | undefined;
  readonly console: ConsoleReading;
  /** How long the console has shown this sign, in seconds. */
  readonly signForSeconds: number;
  /** The last lines of the console. */
  readonly lastLines: readonly string[];
  /** The address that answered. */
  readonly answeredAt: string | undefined;
  /** The addresses that were tried. */
  readonly askedAt: readonly string[];
  /** Whether the deadline has passed, including extensions. */
  readonly isOver: boolean;
  /** Since the server was created. */
  readonly elapsedSeconds: number;
}

/** What to conclude from the signs so far; undefined: wait on. */
export function bootVerdict(
  osType: Vm['os_type'],
  { mode = 'auto' }: NonNullable<DeploymentOptions['bootCheck']>,
  signs: BootSigns,
  patience: BootPatience = usualBootPatience,
): Pick<BootReport, 'outcome' | 'evidence'> | undefined {
  const { console: reading, answeredAt, askedAt, isOver } = signs;
  const within = `within ${Math.round(signs.elapsedSeconds)} s`;
  const asked = askedAt.length === 0 ? 'the VM has no address to connect to' : `${askedAt.join(', ')} did not respond`;
  if (answeredAt !== undefined && mode !== 'console') return { outcome: 'up', evidence: `${answeredAt} answers` };
  if (reading.sign === 'stopped') {
    return isOver || signs.signForSeconds >= patience.stopSeconds
      ? { outcome: 'failed', evidence: `the console shows: ${stopText(reading)}` }
      : undefined;
  }
  if (reading.sign === 'up') {
    const lasts = (seconds: number): boolean => isOver || signs.signForSeconds >= seconds;
    if (mode === 'console')
      return lasts(patience.loginSeconds)
        ? { outcome: 'up', evidence: `the console shows: ${reading.line}` }
        : undefined;
    if (mode === 'auto' && lasts(askedAt.length === 0 ? patience.loginSeconds : patience.networkSeconds)) {
      return { outcome: 'up', evidence: `the console shows: ${reading.line}; ${asked} from this computer` };
    }
    return isOver
      ? { outcome: 'failed', evidence: `the console shows: ${reading.line}; but ${asked} ${within}` }
      : undefined;
  }
  if (!isOver) return undefined;
  const unproven = mode === 'network' ? undefined : whyUnproven(osType, mode, signs);
  if (unproven !== undefined)
    return { outcome: 'unproven', evidence: `${mode === 'console' ? '' : `${asked} ${within}; `}${unproven}` };
  if (signs.hasConsole === false)
    return { outcome: 'failed', evidence: `${asked} ${within}, and the platform provides no console log` };
  const seen =
    signs.lastLines.length === 0 ? 'the console is empty' : `last lines of the console: ${signs.lastLines.join(' | ')}`;
  return {
    outcome: 'failed',
    evidence: `no login on the console${mode === 'console' ? '' : `, and ${asked}`}, ${within}; ${seen}`,
  };
}

/** Why the lack of a login proves nothing. */
function whyUnproven(
  osType: Vm['os_type'],
  mode: NonNullable<DeploymentOptions['bootCheck']>['mode'],
  { console: reading, hasConsole, askedAt }: BootSigns,
): string | undefined {
  if (hasConsole === false && askedAt.length === 0) return 'the platform provides no console log';
  if (reading.sign === 'locked') return `the guest is waiting for a passphrase on its console: ${reading.line}`;
  if (reading.earlierUp !== undefined)
    return `the console showed "${reading.earlierUp}" before the guest restarted, and no login since then`;
  if (reading.isRelabelling) return 'the guest is still relabeling its files for SELinux';
  if (reading.isPartial) return 'the console shows part of the boot, but no login and no error';
  // A Windows guest has no login on a serial console, and its firewall may keep every port shut.
  return osType === 'windows' && mode === 'auto' ? 'Windows guests do not write to the serial console' : undefined;
}

function stopText({ line, hints }: ConsoleReading): string {
  return [...hints.filter((hint) => hint !== line), line].join(' | ');
}
