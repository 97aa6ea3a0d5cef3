import type { ErrorCode } from '../../../shared/model/errors/catalogue.ts';

/** What to type for an error's remedy. The remedies themselves are shown in the workbench too and name no commands. */
const commands: Partial<Record<ErrorCode, string>> = {
  'secrets.no-vault': 'causeway vault init',
  'secrets.unknown-secret': 'causeway vault set <name>',
  'secrets.locked': 'set CAUSEWAY_KEY_FILE or CAUSEWAY_PASSPHRASE_FILE, or type the passphrase when asked',
  'secrets.weak-file-mode': 'chmod 600 <file>',
  'engine.environment-invalid': 'causeway validate <file>',
  'engine.left-behind': 'causeway ledger orphans, then causeway ledger remove',
  'engine.source-not-cleaned': 'causeway replica delete <replica> --yes --source-gone',
  'cloud.clean-up-incomplete': 'causeway ledger orphans, then causeway ledger remove',
  'engine.execution-active': 'causeway execution show <replica>, causeway execution cancel <replica>',
  'deployment.active': 'causeway deployment show <replica>, causeway deployment cancel <replica>',
};

/** A line for below an error's remedy; empty when there is no command for it. */
export function commandHint(code: ErrorCode): string {
  const command = commands[code];
  return command === undefined ? '' : `  here:   ${command}\n`;
}
