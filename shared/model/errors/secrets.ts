import type { ErrorTable } from './error-text.ts';

export const secretsErrors = {
  'secrets.no-vault': {
    title: 'The project has no vault yet',
    cause: 'A secret was given or asked for before a vault was made.',
    remedy: 'Make the vault of the project, then try again.',
    retryable: false,
  },
  'secrets.vault-exists': {
    title: 'The project has a vault already',
    cause: 'Making a new one would lose the secrets in it.',
    remedy: 'Use the existing one, or move its file away first.',
    retryable: false,
  },
  'secrets.locked': {
    title: 'The vault is locked',
    cause: 'No passphrase or key file was given.',
    remedy: 'Unlock the vault with its passphrase or its key file.',
    retryable: false,
  },
  'secrets.wrong-passphrase': {
    title: 'The passphrase or key is wrong',
    cause: 'The vault\'s data key can\'t be unwrapped with what was given.',
    remedy: 'Use the passphrase or key file that the vault was made with.',
    retryable: false,
  },
  'secrets.key-store-unavailable': {
    title: 'The operating system has no key store that can be used',
    cause: 'No key store answers (on Linux: no Secret Service such as GNOME Keyring or KWallet), or it is locked.',
    remedy: 'Start or unlock the key store and try again, or make the vault with a passphrase.',
    retryable: true,
  },
  'secrets.key-store-weak': {
    title: 'The key store offers plain text only',
    cause: 'The back end is "basic_text": it encrypts with a password that everybody knows, which protects nothing.',
    remedy: 'Install and unlock a key store (GNOME Keyring, KWallet), or make the vault with a passphrase.',
    retryable: false,
  },
  'secrets.key-store-changed': {
    title: 'The vault belongs to another key store',
    cause: 'It was made with another back end, or on another computer or by another user, and this one can\'t open it.',
    remedy: 'Start the application in the desktop session where the vault was made, or make a new vault and set the secrets again.',
    retryable: false,
  },
  'secrets.vault-damaged': {
    title: 'The vault can\'t be read',
    cause: 'Its file is not complete or a record was changed.',
    remedy: 'Put a good copy of the file back, or move it away, make a new vault and set the secrets again.',
    retryable: false,
  },
  'secrets.unknown-secret': {
    title: 'There is no secret of that name',
    cause: 'An endpoint or environment refers to a secret that the vault does not have.',
    remedy: 'Put it into the vault under the name that the evidence gives.',
    retryable: false,
  },
  'secrets.plain-text': {
    title: 'A secret was given in plain text where it can\'t be kept',
    cause: 'Secrets are stored in the vault only, and it is not open.',
    remedy: 'Make or unlock the vault, or refer to a secret as {"$secret": "name"}.',
    retryable: false,
  },
  'secrets.weak-file-mode': {
    title: 'A key or passphrase file can be read by others',
    cause: 'Its permissions are wider than its owner.',
    remedy: 'Take the rights of others away from the file, so that its owner alone can read it.',
    retryable: false,
  },
} as const satisfies ErrorTable;
