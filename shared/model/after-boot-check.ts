import { z } from 'zod';

const port = z.int().min(1).max(65_535);
const printable = /^[^\u0000-\u001f\u007f]*$/u;

/** Characters of a script. */
export const longestCheckScript = 32_768;

const common = {
  /** Shown instead of what the check does. */
  name: z.string().min(1).max(100).regex(printable).optional(),
  /** What a failure does to the deployment. Default `fail`. */
  onFailure: z.enum(['fail', 'warn']).optional(),
  /** For how long it is repeated until it passes. Default 120. */
  timeoutSeconds: z.int().min(1).max(3600).optional(),
};

/** How a check signs in to the guest by SSH. */
const sshLogin = {
  username: z
    .string()
    .min(1)
    .max(100)
    .regex(/^[^\s\u0000-\u001f]+$/u),
  /** Name of a secret with a private key, or with a password. */
  secret: z.string().min(1).max(200),
  /** The guest's host key as in a known_hosts file, without the host: `ssh-ed25519 AAAA…`. */
  hostKey: z
    .string()
    .max(4000)
    .regex(/^[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,2}$/),
  /** Default 22. */
  port: port.optional(),
};

/** How a check signs in to the guest by Windows Remote Management over HTTPS. */
const winrmLogin = {
  /** `Administrator`, or `DOMAIN\user`. */
  username: z
    .string()
    .min(1)
    .max(100)
    .regex(/^[^\s\u0000-\u001f:]([^\u0000-\u001f:]*[^\s\u0000-\u001f:])?$/u),
  /** Name of a secret with the password. */
  secret: z.string().min(1).max(200),
  /** SHA-256 of the certificate of the guest's listener, in hex. Without it the check does not sign in, and says which one the guest shows. */
  certificateSha256: z
    .string()
    .max(200)
    .regex(/^[0-9A-Fa-f]{2}(:?[0-9A-Fa-f]{2}){31}$/)
    .optional(),
  /** Default 5986. */
  port: port.optional(),
};

const scriptText = z
  .string()
  .max(longestCheckScript)
  .regex(/\S/u)
  .regex(/^[^\u0000]*$/u);

/** What a deployed VM has to answer before it is handed over. Everything is asked of the VM's own addresses. */
export const afterBootCheckSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('port'), port, ...common }),
  z.strictObject({
    kind: z.literal('http'),
    scheme: z.enum(['http', 'https']).optional(),
    port: port.optional(),
    /** Default `/`. */
    path: z
      .string()
      .max(2000)
      .regex(/^\/[\x21-\x7e]*$/)
      .optional(),
    /** Name of the site, for the `Host` header; over HTTPS its certificate is verified for it. Without it, any certificate is accepted. */
    host: z
      .string()
      .max(253)
      .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/)
      .optional(),
    /** Default: any from 200 to 399. */
    status: z.int().min(100).max(599).optional(),
    /** The answer has to contain it. */
    text: z.string().min(1).max(1000).optional(),
    ...common,
  }),
  z.strictObject({ kind: z.literal('login-prompt'), ...common }),
  z.strictObject({
    kind: z.literal('ssh'),
    ...sshLogin,
    command: z.string().min(1).max(4000),
    /** Default 0. */
    exitStatus: z.int().min(0).max(255).optional(),
    /** The output has to contain it. */
    text: z.string().min(1).max(1000).optional(),
    ...common,
  }),
  z.strictObject({
    kind: z.literal('winrm'),
    ...winrmLogin,
    /** In PowerShell. */
    command: z.string().min(1).max(4000),
    /** Default 0. */
    exitStatus: z
      .int()
      .min(-(2 ** 31))
      .max(2 ** 32 - 1)
      .optional(),
    /** The output has to contain it. */
    text: z.string().min(1).max(1000).optional(),
    ...common,
  }),
  /** A script that has to end with exit code 0. */
  z.discriminatedUnion('via', [
    z.strictObject({
      kind: z.literal('script'),
      via: z.literal('ssh'),
      ...sshLogin,
      script: scriptText,
      /** A program with arguments that takes the script on its standard input. Default `/bin/sh -s`. */
      interpreter: z
        .string()
        .max(200)
        .regex(/^[A-Za-z0-9/_.][A-Za-z0-9/_.+=:@-]*( [A-Za-z0-9/_.+=:@-]+)*$/)
        .optional(),
      /** The output has to contain it. */
      text: z.string().min(1).max(1000).optional(),
      ...common,
    }),
    z.strictObject({
      kind: z.literal('script'),
      via: z.literal('winrm'),
      ...winrmLogin,
      /** In PowerShell. */
      script: scriptText,
      /** The output has to contain it. */
      text: z.string().min(1).max(1000).optional(),
      ...common,
    }),
  ]),
  /** A service of the guest has to run. */
  z.discriminatedUnion('via', [
    z.strictObject({
      kind: z.literal('agent'),
      via: z.literal('ssh'),
      ...sshLogin,
      service: z
        .string()
        .max(100)
        .regex(/^[A-Za-z0-9][A-Za-z0-9_.@:-]*$/),
      ...common,
    }),
    z.strictObject({
      kind: z.literal('agent'),
      via: z.literal('winrm'),
      ...winrmLogin,
      /** Its name, not its display name. */
      service: z
        .string()
        .max(100)
        .regex(/^[A-Za-z0-9]([A-Za-z0-9 _.$-]*[A-Za-z0-9_.$-])?$/),
      ...common,
    }),
  ]),
]);
export type AfterBootCheck = z.infer<typeof afterBootCheckSchema>;
export const afterBootCheckKinds = [
  'port',
  'http',
  'login-prompt',
  'ssh',
  'winrm',
  'script',
  'agent',
] as const satisfies readonly AfterBootCheck['kind'][];

/** A check that signs in to the guest. */
export type GuestCheck = Extract<AfterBootCheck, { secret: string }>;
export function isGuestCheck(check: AfterBootCheck): check is GuestCheck {
  return 'secret' in check;
}

export const afterBootChecksSchema = z.array(afterBootCheckSchema).max(50);

/** What a check without a name of its own does, by the facts that its text names. */
export const checkLabelSchema = z.object({
  code: z.enum(['port', 'http', 'login-prompt', 'ssh', 'winrm', 'script-ssh', 'script-winrm', 'agent']),
  what: z.string(),
});
export type CheckLabel = z.infer<typeof checkLabelSchema>;

export const checkResultSchema = z.object({
  name: z.string(),
  /** Absent where the check has a name of its own. */
  label: checkLabelSchema.optional(),
  kind: z.enum(afterBootCheckKinds),
  /** `warned`: it failed, and was only to warn. `not-run`: the deployment ended before. */
  outcome: z.enum(['passed', 'failed', 'warned', 'not-run']),
  /** What answered, or why it did not, in words; cleaned of control characters, and short. */
  evidence: z.string(),
  attempts: z.number(),
  seconds: z.number(),
  at: z.string(),
});
export type CheckResult = z.infer<typeof checkResultSchema>;

/** Labels in English; translations say the same of the same facts. */
export const checkLabels = {
  port: (port: string) => `Port ${port}`,
  http: (address: string) => address,
  'login-prompt': (_none: string) => 'Login prompt on the console',
  ssh: (command: string) => `ssh: ${command}`,
  winrm: (command: string) => `WinRM: ${command}`,
  'script-ssh': (firstLine: string) => `Script by SSH: ${firstLine}`,
  'script-winrm': (firstLine: string) => `Script by WinRM: ${firstLine}`,
  agent: (service: string) => `Service ${service} runs`,
} as const satisfies Readonly<Record<CheckLabel['code'], (what: string) => string>>;

/** What a check does, in a few words of English. */
export function checkName(check: AfterBootCheck): string {
  return check.name ?? checkLabelText(checkLabel(check));
}

export function checkLabelText(
  { code, what }: CheckLabel,
  texts: Readonly<Record<CheckLabel['code'], (what: string) => string>> = checkLabels,
): string {
  return texts[code](what);
}

export function checkLabel(check: AfterBootCheck): CheckLabel {
  switch (check.kind) {
    case 'port':
      return { code: 'port', what: String(check.port) };
    case 'http': {
      const scheme = (check.scheme ?? 'http').toUpperCase();
      return {
        code: 'http',
        what: `${scheme} ${check.host ?? ''}${check.port === undefined ? '' : `:${check.port}`}${check.path ?? '/'}`,
      };
    }
    case 'login-prompt':
      return { code: 'login-prompt', what: '' };
    case 'ssh':
    case 'winrm':
      return { code: check.kind, what: lineOf(check.command) };
    case 'script':
      return { code: `script-${check.via}`, what: lineOf(firstLine(check.script)) };
    case 'agent':
      return { code: 'agent', what: check.service };
    default:
      return check satisfies never;
  }
}

function lineOf(command: string): string {
  return (command.length <= 60 ? command : `${command.slice(0, 59)}…`).replaceAll(/[\u0000-\u001f\u007f]+/gu, ' ');
}

/** The first line that is no comment. */
function firstLine(script: string): string {
  const lines = script
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.find((line) => !line.startsWith('#')) ?? lines[0] ?? '';
}
