import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostKeyFingerprint } from '../engine/transport/host-keys.ts';
import { createEd25519KeyPair } from '../engine/ssh-keys/ed25519-key-pair.ts';
import { addMover, type ConfirmHostKey } from './add-mover.ts';
import type { SshSecrets } from './mover-login.ts';
import { createSshHome, type SshHome } from './testing/ssh-home.ts';
import { startSshStandIn, type SshStandIn, type SshStandInOptions } from './testing/ssh-stand-in.ts';

const never = new AbortController().signal;
const [jumpPair, moverPair] = [createEd25519KeyPair('jump'), createEd25519KeyPair('mover')];
const fingerprint = (pair: { readonly publicKey: string }): string => hostKeyFingerprint(pair.publicKey);

describe('adding a mover', () => {
  const servers: SshStandIn[] = [];
  let home: SshHome;
  /** What was asked, `host:port fingerprint`, and who was asked for a password. */
  let asked: string[];
  const confirmAll: ConfirmHostKey = async ({ host, port }, shown) => {
    asked.push(`${host}:${port} ${shown}`);
    return true;
  };
  const secrets = (password?: string): SshSecrets => ({
    agent: undefined,
    passphrase: async () => undefined,
    async password({ about }) {
      asked.push(`password of ${about}`);
      return password;
    },
  });
  const start = async (options: SshStandInOptions): Promise<SshStandIn> => {
    const server = await startSshStandIn(options);
    servers.push(server);
    return server;
  };
  /** `mover` is `inside.example:22` behind the jump host. */
  const configure = (jump: SshStandIn): void =>
    home.writeConfig({
      bastion: { HostName: '127.0.0.1', Port: jump.port, User: 'hop' },
      mover: { HostName: 'inside.example', User: 'me', ProxyJump: 'bastion' },
    });
  const add = (ssh: SshSecrets, confirm: ConfirmHostKey = confirmAll): ReturnType<typeof addMover> =>
    addMover(home.book, { name: 'site-a', destination: 'mover' }, ssh, confirm, never);

  beforeEach(() => {
    home = createSshHome();
    asked = [];
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
    home.remove();
  });

  it('confirms the key of each server on the way, the first one from here first, and pins them', async () => {
    const mover = await start({ pair: moverPair, acceptsKeys: true });
    const jump = await start({ pair: jumpPair, acceptsKeys: true, behind: () => mover });
    configure(jump);
    await add(secrets());
    expect(asked).toEqual([
      `127.0.0.1:${jump.port} ${fingerprint(jumpPair)}`,
      `inside.example:22 ${fingerprint(moverPair)}`,
    ]);
    expect(home.book.get('site-a')).toMatchObject({
      hostKey: moverPair.publicKey,
      jumpHosts: [{ host: '127.0.0.1', hostKey: jumpPair.publicKey }],
    });
  });

  it('remembers nothing where a key is not confirmed, and signs in nowhere', async () => {
    const jump = await start({ pair: jumpPair, acceptsKeys: true });
    configure(jump);
    await expect(add(secrets(), async () => false)).rejects.toMatchObject({ code: 'mover.host-key-unknown' });
    expect([home.book.list(), jump.shown]).toEqual([[], []]);
  });

  it('does not take a jump host for the mover, even if each of its keys is confirmed', async () => {
    const poser = await start({ pair: jumpPair, acceptsKeys: true });
    configure(await start({ pair: jumpPair, acceptsKeys: true, behind: () => poser }));
    await expect(add(secrets())).rejects.toMatchObject({
      code: 'mover.host-key-repeated',
      message: expect.stringContaining(`inside.example:22 shows the host key of the jump host 127.0.0.1:`) as string,
    });
    expect([asked.length, home.book.list(), poser.shown]).toEqual([1, [], []]);
  });

  it('accepts a key that both have where the known hosts file has it for the mover', async () => {
    const mover = await start({ pair: jumpPair, acceptsKeys: true });
    configure(await start({ pair: jumpPair, acceptsKeys: true, behind: () => mover }));
    home.writeKnownHosts(`inside.example ${jumpPair.publicKey}\n`);
    await add(secrets());
    expect(asked.length).toBe(1);
    expect(home.book.get('site-a').hostKey).toBe(jumpPair.publicKey);
  });

  it('shows the password to the mover, and to no jump host', async () => {
    const mover = await start({ pair: moverPair, password: 'word' });
    const jump = await start({ pair: jumpPair, acceptsKeys: true, behind: () => mover });
    configure(jump);
    await add(secrets('word'));
    expect(asked.at(-1)).toBe('password of me@inside.example');
    expect(mover.shown).toContain('password word');
    expect(new Set(jump.shown)).toEqual(new Set(['publickey']));
  });

  it('asks for no password where a jump host refuses the key, at the first sign-in or later', async () => {
    const mover = await start({ pair: moverPair, password: 'word' });
    const jump = await start({ pair: jumpPair, password: 'word', behind: () => mover });
    configure(jump);
    await expect(add(secrets('word'))).rejects.toMatchObject({ code: 'mover.login-refused' });
    expect(asked).toEqual([`127.0.0.1:${jump.port} ${fingerprint(jumpPair)}`]);
    expect(jump.shown).not.toContain('password word');
  });
});
