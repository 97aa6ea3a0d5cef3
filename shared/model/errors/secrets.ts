import type { ErrorTable } from './error-text.ts';

export const secretsErrors = {
  'secrets.no-vault': {
    title: 'The project has no vault yet',
    cause: 'A secret was used before a vault was created.',
    remedy: 'Create the vault for the project, then try again.',
    retryable: false,
  },
  'secrets.vault-exists': {
    title: 'The project already has a vault',
    cause: 'Creating a new one would lose its secrets.',
    remedy: 'Use the existing vault, or move its file away first.',
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
    cause: 'The passphrase or key file does not open this vault.',
    remedy: 'Use the passphrase or key file that the vault was created with.',
    retryable: false,
  },
  'secrets.key-store-unavailable': {
    title: 'No key store available',
    cause:
      "The operating system's key store does not respond (on Linux: a Secret Service such as GNOME Keyring or KWallet), or it is locked.",
    remedy: 'Start or unlock the key store and try again, or create the vault with a passphrase.',
    retryable: true,
  },
  'secrets.key-store-weak': {
    title: 'The key store does not protect secrets',
    cause: 'The back end is "basic_text": it encrypts with a password that everybody knows, which protects nothing.',
    remedy: 'Install and unlock a key store (GNOME Keyring, KWallet), or create the vault with a passphrase.',
    retryable: false,
  },
  'secrets.key-store-changed': {
    title: 'The vault belongs to another key store',
    cause: 'It was created with another back end, on another computer, or by another user.',
    remedy:
      'Start Causeway in the desktop session where the vault was created, or create a new vault and enter the secrets again.',
    retryable: false,
  },
  'secrets.vault-damaged': {
    title: 'The vault cannot be read',
    cause: 'Its file is incomplete, or a record was modified.',
    remedy: 'Restore a good copy of the file, or move it away, create a new vault and enter the secrets again.',
    retryable: false,
  },
  'secrets.unknown-secret': {
    title: 'Unknown secret',
    cause: 'An endpoint or environment refers to a secret that is not in the vault.',
    remedy: 'Add the secret to the vault under the name in the details.',
    retryable: false,
  },
  'secrets.plain-text': {
    title: 'A plain-text secret cannot be stored',
    cause: 'Secrets are stored only in the vault, and the vault is locked or missing.',
    remedy: 'Create or unlock the vault, or refer to a secret as {"$secret": "name"}.',
    retryable: false,
  },
  'secrets.weak-file-mode': {
    title: 'A key or passphrase file is readable by other users',
    cause: 'Its permissions allow access for users other than the owner.',
    remedy:
      'Restrict the file to its owner: mode 600, or on Windows an access list without further users (icacls FILE /inheritance:r /grant:r %USERNAME%:F).',
    retryable: false,
  },
} as const satisfies ErrorTable;
