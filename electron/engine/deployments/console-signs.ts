import { withoutKernelLines, withoutEscapes } from './console-text.ts';

/** What a console shows of its guest since the guest's last start. */
export interface ConsoleReading {
  /** `up`: login prompt or another sign that the boot is complete; `locked`: asks for a disk's passphrase. */
  readonly sign: 'none' | 'up' | 'stopped' | 'locked';
  /** The line that shows it. For `stopped` the line that says why, if there is one. */
  readonly line: string;
  /** Messages before a stop that may explain it, oldest first. */
  readonly hints: readonly string[];
  /** Whether `line` is the reason of a stop, not only the place where the guest waits. */
  readonly hasReason: boolean;
  /** A sign of a complete boot before the guest was started again. */
  readonly earlierUp: string | undefined;
  /** Whether a part of the text since the last start is missing: a sign may have been in it. */
  readonly isPartial: boolean;
  /** Whether SELinux labels all files again, which ends with a restart. */
  readonly isRelabelling: boolean;
  /** Whether text is missing since a stop. */
  readonly maybeWentOn: boolean;
  /** Number of starts in the text. */
  readonly starts: number;
}

/** Stands where text is missing. A private-use character, so that no guest writes it. */
export const gapMark = '\uf8fe';
const mostHints = 3;

/** `up`: the boot is complete. `prompt`: a login prompt, or a text that looks like one. `goesOn`: a person or a timeout ended a stop. */
type Kind = 'start' | 'gap' | 'up' | 'prompt' | 'goesOn' | 'reason' | 'stopped' | 'hint' | 'locked' | 'relabel';

/** A line of its own, or what follows a prompt; with a priority, a time stamp, or both in front. */
const lineStart = String.raw`(?:^|\n|(?<=login: ?))(?:<\d+>)?(?:\[ *\d+\.\d{3,6}\] )?(?:\[ *[TC]\d+\] ?)?`;
/** `login:` as login(1) translates it. */
const promptWords =
  'login|Anmeldung|Login|identifiant|inicio de sesión|Usuario|usuário|accesso|logowanie|inloggning|přihlášení|bejelentkezés|логин|имя пользователя|ログイン|登录|登入|로그인';
/** Words that make "login:" part of a sentence or of another prompt. */
const proseWords =
  '(?:[Ll]ast|[Pp]revious|[Ff]ailed|[Ii]nvalid|[Ss]uccessful|[Bb]ad|[Ff]or|[Tt]he|[Uu]ser|[Rr]emote|[Cc]onsole|[Ff]irst|[Yy]our|[Dd]irect|pam_unix|to|at|on|of|as|and|or|a|an|this|new|password)';
/** Words before "login:" that make what follows on the line an explanation: "Default login: root". */
const bannerWords =
  '(?:[Dd]efault|[Pp]lease|[Mm]aintenance|[Ee]mergency|[Rr]escue|[Rr]ecovery|[Ss]uperuser|[Rr]oot|SSH|[Ss]sh|[Aa]utomatic|[Uu]sername|[Ss]ystem)';
/** Control-D in the languages in which sulogin(8) asks for it. */
const controlD = '(?:Control|Ctrl|CTRL|CONTROL|control|Strg|Contrôle|Contrôl)[-+][Dd]';

const patterns: Readonly<Record<Kind, readonly RegExp[]>> = {
  start: [
    new RegExp(`${lineStart}(?:Linux version \\d.*|Booting Linux on physical CPU.*)`, 'g'),
    /(?:^|\n|(?<=login: ?))(?:SeaBIOS \(version|UEFI firmware \(version|Welcome to GRUB!|GRUB loading\b).*/g,
    /(?:^|\n|(?<=login: ?))BdsDxe: (?:loading|starting) Boot.*/g,
    /\breboot: (?:Restarting system|machine restart).*/g,
    /Computer is booting, SAC started and initialized.*/g,
  ],
  gap: [new RegExp(gapMark, 'g')],
  prompt: [
    // At the start of a line whatever was written behind it; elsewhere at the end of the line or before a known writer.
    new RegExp(
      `(?:^|\\n)[ \\t]*(?!${proseWords} |${bannerWords} login: ?[\\p{L}(<"'])[\\p{L}\\p{N}][\\p{L}\\p{N}_.-]* (?:${promptWords}) ?[:：](?![\\w/])[^\\n]*`,
      'gu',
    ),
    new RegExp(
      `(?<![\\p{L}\\p{N}_.-])(?!${proseWords} )[\\p{L}\\p{N}][\\p{L}\\p{N}_.-]* (?:${promptWords}) ?[:：] *(?=$|\\n|\\[ *\\d+\\.|<\\d+>|ci-info:|Cloud-init |cloud-init)`,
      'gu',
    ),
  ],
  up: [
    /Reached target (?:\S+ - )?(?:multi-user\.target|graphical\.target|Multi-User(?: System)?|Graphical(?: Interface)?)\b.*/g,
    /Cloud-init v\. \S+ finished at .*/g,
    /-----BEGIN SSH HOST KEY (?:FINGERPRINTS|KEYS)-----/g,
    /The CMD command is now available.*/g,
  ],
  goesOn: [/Starting default target\b.*/g, new RegExp(`${lineStart}(?:Rebooting|rebooting)\\b.*`, 'g')],
  reason: [
    /Gave up waiting for (?:root|ROOT)\b.*device/g,
    /Kernel panic - not syncing.*/g,
    /UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY.*/g,
    /.*requires a manual fsck.*/g,
    /\*\*\* An error occurred during the file ?system check.*/g,
    /An automatic file ?system check(?: \(fsck\))? of the root file ?system failed.*/g,
    /Your (?:PC|device|computer)(?:\/Device)? (?:needs to be repaired|couldn't start properly|did not start correctly).*/gi,
    /Windows didn't load correctly.*/gi,
    /BOOTMGR is (?:missing|compressed).*/g,
    /No bootable device\b.*/gi,
    /BdsDxe: No bootable option or device was found.*/g,
    /INACCESSIBLE_BOOT_DEVICE.*/g,
    /\*\*\* STOP: 0x[0-9A-Fa-f]{8}.*/g,
    /Windows failed to start\..*/g,
  ],
  // Where a guest or its firmware waits for input at the keyboard. The reason is in earlier messages.
  stopped: [
    /Entering (?:emergency|rescue) mode.*/g,
    /You are in (?:emergency|rescue) mode.*/g,
    /Welcome to (?:emergency|rescue) mode.*/g,
    /Reached target (?:\S+ - )?(?:emergency\.target|rescue\.target|Emergency Mode|Rescue Mode)\b.*/g,
    /Started (?:\S+ - )?(?:Dracut )?(?:Emergency|Rescue) Shell\b.*/g,
    /Cannot open access to console, the root account is locked.*/g,
    /(?:Give|Enter|give|enter) root password (?:for|to) (?:system )?(?:maintenance|login)\b.*/g,
    /Press Enter for maintenance.*/g,
    new RegExp(`\\b${controlD} (?:will|to (?:continue|proceed|terminate|reboot|restart))\\b.*`, 'g'),
    // A prompt for the root password in another language: "(oder drücken Sie Strg-D, um fortzufahren): ".
    new RegExp(`\\([\\p{L} ]{1,30} ${controlD}[^()\\n]*\\).*`, 'gu'),
    /A maintenance shell will now be started.*/g,
    /\*\*\* Dropping you to a shell\b.*/g,
    /You are (?:now )?being dropped (?:in)?to an? (?:emergency|recovery|rescue)? ?shell.*/gi,
    /initramfs emergency recovery shell launched.*/g,
    /(?:^|\n)\(initramfs\)(?= |\n|$|\[ *\d)/g,
    /(?:^|\n)(?:dracut|switch_root|initqueue|pre-mount|emergency)?:\/# ?(?=\n|$|\[ *\d)/g,
    /(?:^|\n)\[rootfs [^\]\n]{0,40}\]# ?(?=\n|$|\[ *\d)/g,
    /(?:^|\n)grub rescue>.*/g,
    /(?:^|\n)grub> ?(?=\n|$)/g,
    /UEFI Interactive Shell.*/g,
    /(?:^|\n)Shell> ?(?=\n|$)/g,
  ],
  // Not a failure by itself: the next boot device may work, and a boot may continue without a swap device.
  hint: [
    /BdsDxe: failed to load.*/g,
    /Boot failed: not a bootable disk/gi,
    /Failed to mount .* as root file system/g,
    /Warning: \/dev\/\S+ does not exist/g,
    /ALERT! +\S+ does not exist.*/g,
    /Gave up waiting for suspend\/resume.*device/g,
    /Timed out waiting for device .*/g,
    /dracut-initqueue(?:\[\d+\])?: .*timeout.*starting timeout scripts/g,
    /Failed to start (?:Switch Root|File System Check on).*/g,
    /error: (?:no such device|unknown filesystem|no such partition|file `?\S+ not found|symbol `?\S+ not found|disk `?\S+ not found).*/g,
    /Failed to mount \/\S*.*/g,
    /fsck (?:failed|died with exit status|exited with (?:status|error) code)\b.*/g,
    /The disk drive for \S+ is not ready yet or not present.*/g,
    /ERROR: (?:device '[^'\n]*' not found|Failed to mount '[^'\n]*' on real root).*/g,
    /mount: mounting \S+ on \S+ failed.*/g,
    /File: \S*winload\S*.*/g,
  ],
  locked: [
    /Please unlock disk .*/g,
    /Please enter (?:the )?passphrase (?:for|to unlock) .*/gi,
    /Enter passphrase for \/?\S.*/g,
    /Enter LUKS Passphrase.*/gi,
  ],
  relabel: [
    /SELinux \S+ policy relabel is required.*/g,
    /Relabeling could take a very long time.*/g,
    /Starting (?:selinux-autorelabel\.service - )?Relabel all file ?systems.*/gi,
  ],
};

/** A prompt without a host name. It counts only where the kernel's lines are gone: "Give root password for [ 3.1] usb 1-1\nlogin: ". */
const barePrompt = new RegExp(`(?:^|\\n)[ \\t]*(?:${promptWords}) ?[:：] *(?=$|\\n)`, 'gu');

interface Event {
  readonly kind: Kind;
  readonly index: number;
  readonly text: string;
}

export const nothingRead: ConsoleReading = {
  sign: 'none',
  line: '',
  hints: [],
  hasReason: false,
  earlierUp: undefined,
  isPartial: false,
  isRelabelling: false,
  maybeWentOn: false,
  starts: 0,
};

/**
 * Reads a console's text, which continues what gave `before`. Signs count in their order: a panic after a login prompt is
 * a stop, and a start makes everything before it past. A prompt proves nothing after a stop: a guest that waits for somebody
 * doesn't boot on, so the text is a banner or a prompt of the maintenance shell itself.
 */
export function readConsole(text: string, before: ConsoleReading = nothingRead): ConsoleReading {
  const plain = withoutEscapes(text);
  const events = eventsIn(plain);
  // Text without a start may be the rest of a buffer that lost its beginning.
  const isTail = before.starts === 0 && plain.trim() !== '';
  return events.reduce<ConsoleReading>(withEvent, { ...before, isPartial: before.isPartial || isTail });
}

function withEvent(state: ConsoleReading, { kind, text }: Event): ConsoleReading {
  switch (kind) {
    case 'start':
      return {
        ...nothingRead,
        starts: state.starts + 1,
        earlierUp: state.sign === 'up' ? state.line : state.earlierUp,
      };
    case 'gap':
      return { ...state, isPartial: true, maybeWentOn: state.sign === 'stopped' };
    case 'goesOn':
      return state.sign === 'stopped'
        ? { ...state, sign: 'none', line: '', hasReason: false, maybeWentOn: false }
        : state;
    case 'prompt':
      if (state.sign !== 'stopped') return withUp(state, text);
      // A restart may have been in the text that is missing: neither the stop nor the prompt proves anything.
      return state.maybeWentOn
        ? { ...state, sign: 'none', line: '', hasReason: false, maybeWentOn: false, isPartial: true }
        : state;
    case 'up':
      return withUp(state, text);
    case 'reason':
      return state.sign === 'stopped' && state.hasReason
        ? state
        : { ...state, sign: 'stopped', line: text, hasReason: true };
    case 'stopped':
      return state.sign === 'stopped'
        ? state
        : { ...state, sign: 'stopped', line: state.hints.at(-1) ?? text, hasReason: false };
    case 'hint':
      // After the stop, someone may be trying commands in the shell.
      return state.sign === 'stopped' || state.hints.includes(text)
        ? state
        : { ...state, hints: [...state.hints, text].slice(-mostHints) };
    case 'locked':
      return state.sign === 'up' ? state : { ...state, sign: 'locked', line: text };
    case 'relabel':
      return state.sign === 'up' ? state : { ...state, isRelabelling: true };
    default:
      return kind satisfies never;
  }
}

function withUp(state: ConsoleReading, line: string): ConsoleReading {
  return { ...state, sign: 'up', line, hints: [], hasReason: false, isRelabelling: false, maybeWentOn: false };
}

function eventsIn(plain: string): Event[] {
  const parts = [{ text: plain, offsetOf: (index: number) => index }, withoutKernelLines(plain)];
  const events: Event[] = [];
  const seen = new Set<string>();
  for (const [number, part] of parts.entries()) {
    for (const kind of Object.keys(patterns) as Kind[]) {
      // Prompts are written in pieces between which the kernel gets a word in.
      if (number > 0 && kind !== 'prompt' && kind !== 'up' && kind !== 'stopped') continue;
      for (const pattern of number > 0 && kind === 'prompt' ? [...patterns.prompt, barePrompt] : patterns[kind]) {
        for (const match of part.text.matchAll(pattern)) {
          const lead = match[0].length - match[0].trimStart().length;
          const index = part.offsetOf(match.index + lead);
          const text = oneLine(match[0]);
          const key = `${kind} ${index}`;
          if (!seen.has(key)) events.push({ kind, index, text });
          seen.add(key);
        }
      }
    }
  }
  return events.sort((one, other) => one.index - other.index);
}

const longestLine = 300;

/** Without a time stamp in front, cut after a word when it is very long. */
function oneLine(text: string): string {
  const line = text
    .trim()
    .replace(/^(?:<\d+>)?(?:\[ *\d+\.\d+\] ?)/, '')
    .replaceAll(gapMark, '')
    .trim();
  if (line.length <= longestLine) return line;
  const cut = line.slice(0, longestLine);
  return `${cut.slice(0, cut.lastIndexOf(' ') > 0 ? cut.lastIndexOf(' ') : longestLine)} …`;
}
