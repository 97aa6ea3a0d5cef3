import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { createEd25519KeyPair } from '../../engine/ssh-keys/ed25519-key-pair.ts';
import { moverBook, type MoverBook } from '../mover-book.ts';

/** A home folder with a private key and files of OpenSSH, and no SSH agent. */
export interface SshHome {
  readonly folder: string;
  readonly book: MoverBook;
  /** Replaces `~/.ssh/config`: hosts by name, each with its options. Each uses the key of this home. */
  writeConfig(hosts: Readonly<Record<string, Readonly<Record<string, string | number>>>>): void;
  writeKnownHosts(text: string): void;
  remove(): void;
}

export function createSshHome(): SshHome {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-ssh-home-'));
  const at = (name: string): string => join(folder, '.ssh', name);
  mkdirSync(join(folder, '.ssh'));
  writeFileSync(at('key'), createEd25519KeyPair('user').privateKeyPem);
  vi.stubEnv('HOME', folder);
  vi.stubEnv('USERPROFILE', folder);
  vi.stubEnv('SSH_AUTH_SOCK', '');
  return {
    folder,
    book: moverBook(join(folder, 'movers.json')),
    writeConfig(hosts) {
      const lines = Object.entries(hosts).flatMap(([name, options]) => [
        `Host ${name}`,
        ...Object.entries({ IdentityFile: '~/.ssh/key', ...options }).map(([key, value]) => `  ${key} ${value}`),
      ]);
      writeFileSync(at('config'), `${lines.join('\n')}\n`);
    },
    writeKnownHosts: (text) => writeFileSync(at('known_hosts'), text),
    remove() {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    },
  };
}
