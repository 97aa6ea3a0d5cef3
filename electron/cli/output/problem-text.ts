import type { ErrorRecord } from '../../../shared/model/causeway-error.ts';
import { errorText, type ErrorCode } from '../../../shared/model/errors/catalogue.ts';
import { printableLines } from './printable.ts';

/** What to type for an error's remedy. The remedies themselves are shown in the workbench too and name no commands. */
const commands: Partial<Record<ErrorCode, string>> = {
  'general.runtime-lacks': 'causeway doctor',
  'secrets.no-vault': 'causeway vault init',
  'secrets.unknown-secret': 'causeway vault set <name>',
  'secrets.locked': 'set CAUSEWAY_KEY_FILE or CAUSEWAY_PASSPHRASE_FILE, or type the passphrase when asked',
  'secrets.weak-file-mode': 'chmod 600 <file>',
  'engine.wave-in-use': 'causeway wave list, then causeway wave assign <other wave> <replicas>',
  'trust.project-not-accepted': 'causeway trust show, then causeway trust accept',
  'trust.endpoint-not-accepted': 'causeway trust show, then causeway trust accept',
  'trust.environment-not-accepted': 'causeway trust show, then causeway trust accept',
  'engine.environment-invalid': 'causeway validate <file>',
  'engine.left-behind': 'causeway ledger orphans, then causeway ledger remove',
  'engine.source-not-cleaned': 'causeway replica delete <replica> --yes --source-gone',
  'cloud.clean-up-incomplete': 'causeway ledger orphans, then causeway ledger remove',
  'engine.execution-active': 'causeway execution show <replica>, causeway execution cancel <replica>',
  'engine.execution-interrupted': 'causeway execution resume <replica>, or causeway execution cancel <replica>',
  'deployment.active': 'causeway deployment show <replica>, causeway deployment cancel <replica>',
  'mover.unknown': 'causeway mover list, then causeway mover add <name> <destination>',
  'mover.host-key-unknown': 'causeway mover add <name> <destination> --host-key <host:port>=<fingerprint>',
  'store.other-computer': 'causeway project take-over',
  'store.replica-elsewhere': 'causeway ledger list --check, then causeway ledger remove --made-elsewhere <ids>',
};

/** A line for below an error's remedy; empty when there is no command for it. */
export function commandHint(code: ErrorCode): string {
  const command = Object.hasOwn(commands, code) ? commands[code] : undefined;
  return command === undefined ? '' : `  here:   ${command}\n`;
}

/** What went wrong: what happened, with which evidence, and what to do. Empty when nothing did. */
export function problemText(run: { readonly error?: ErrorRecord | undefined; readonly leftBehind: number }): string {
  const lines: string[] = [];
  const { error } = run;
  if (error !== undefined) {
    const { title, cause, remedy } = errorText(error.code);
    lines.push(
      `${title}: ${error.message}`,
      `  why:    ${cause}`,
      `  remedy: ${remedy}`,
      ...commandHint(error.code)
        .split('\n')
        .filter((text) => text !== ''),
      `  [${error.code}]`,
    );
  }
  if (run.leftBehind > 0)
    lines.push(`${run.leftBehind} temporary resources were left behind: see causeway ledger orphans`);
  return lines.map((line) => `${printableLines(line)}\n`).join('');
}
