import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEd25519KeyPair } from '../engine/ssh-keys/ed25519-key-pair.ts';
import type { Mover } from './mover-book.ts';
import { logInToMover, passwordQuestion, type SshSecrets } from './mover-login.ts';
import { createSshHome, type SshHome } from './testing/ssh-home.ts';
import { startSshStandIn, type SshStandIn } from './testing/ssh-stand-in.ts';

const never = new AbortController().signal;
const [jumpPair, moverPair] = [createEd25519KeyPair('jump'), createEd25519KeyPair('mover')];
const hop = { host: 'bastion', port: 22, username: 'hop', hostKey: jumpPair.publicKey };
const usual: Mover = {
  name: 'site-a',
  host: '10.0.0.5',
  port: 22,
  username: 'me',
  hostKey: moverPair.publicKey,
  jumpHosts: [hop],
  identityFiles: [],
};

describe('what a password is kept under', () => {
  it('is the same for the same mover', () => {
    expect(passwordQuestion({ ...usual, identityFiles: ['/another'] })).toEqual(passwordQuestion(usual));
    expect(passwordQuestion(usual).about).toBe('me@10.0.0.5');
  });

  it.each<[string, Partial<Mover>]>([
    ['another name', { name: 'site-b' }],
    ['another port', { port: 2222 }],
    ['another user', { username: 'root' }],
    ['another host key', { hostKey: jumpPair.publicKey }],
    ['no jump host', { jumpHosts: [] }],
    ['another jump host', { jumpHosts: [{ ...hop, host: 'other' }] }],
    ['another key of the jump host', { jumpHosts: [{ ...hop, hostKey: moverPair.publicKey }] }],
  ])('is another one for %s', (_what, change) => {
    expect(passwordQuestion({ ...usual, ...change }).key).not.toBe(passwordQuestion(usual).key);
  });
});

describe('signing in to a mover', () => {
  let home: SshHome;
  let jump: SshStandIn;
  let mover: SshStandIn;
  let asked: string[];
  const secrets: SshSecrets = {
    agent: undefined,
    async passphrase(file) {
      asked.push(file);
      return 'wrong';
    },
    async password({ about }) {
      asked.push(about);
      return 'word';
    },
  };
  const target = (jumpKeyFile: string): Mover => ({
    ...usual,
    jumpHosts: [{ ...hop, host: '127.0.0.1', port: jump.port }],
    identityFiles: [jumpKeyFile],
  });

  beforeEach(async () => {
    home = createSshHome();
    asked = [];
    mover = await startSshStandIn({ pair: moverPair, password: 'word' });
  });
  afterEach(async () => {
    await jump.close();
    await mover.close();
    home.remove();
  });

  it('sends the password to the mover alone', async () => {
    jump = await startSshStandIn({ pair: jumpPair, acceptsKeys: true, behind: () => mover });
    const connection = await logInToMover(target(join(home.folder, '.ssh', 'key')), secrets, never);
    await connection.close();
    expect([asked, mover.shown.at(-1)]).toEqual([['me@10.0.0.5'], 'password word']);
    expect(jump.shown.filter((way) => way !== 'publickey')).toEqual([]);
  });

  it('neither asks for it nor sends it when the jump host refuses', async () => {
    jump = await startSshStandIn({ pair: jumpPair, password: 'word', behind: () => mover });
    await expect(logInToMover(target(join(home.folder, '.ssh', 'key')), secrets, never)).rejects.toMatchObject({
      code: 'mover.login-refused',
      details: { jumpHost: `127.0.0.1:${jump.port}` },
    });
    expect([asked, mover.shown, new Set(jump.shown)]).toEqual([[], [], new Set(['publickey'])]);
  });

  it('does not send it to a jump host that refuses the key only after the password was asked for', async () => {
    jump = await startSshStandIn({ pair: jumpPair, acceptsKeys: true, password: 'word', behind: () => mover });
    const refusedThen: SshSecrets = {
      ...secrets,
      async password() {
        jump.acceptsKeys = false;
        return 'word';
      },
    };
    await expect(logInToMover(target(join(home.folder, '.ssh', 'key')), refusedThen, never)).rejects.toMatchObject({
      code: 'mover.login-refused',
    });
    expect(new Set(jump.shown)).toEqual(new Set(['publickey']));
  });

  it('names the key file where the passphrase is wrong, before it connects', async () => {
    jump = await startSshStandIn({ pair: jumpPair, acceptsKeys: true, behind: () => mover });
    const file = join(home.folder, 'encrypted');
    writeFileSync(
      file,
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
        type: 'pkcs1',
        format: 'pem',
        cipher: 'aes-128-cbc',
        passphrase: 'right',
      }),
    );
    await expect(logInToMover(target(file), secrets, never)).rejects.toMatchObject({
      code: 'general.invalid-input',
      message: expect.stringContaining(file) as string,
    });
    expect([asked, jump.shown]).toEqual([[file], []]);
  });
});
