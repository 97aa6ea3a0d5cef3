import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEd25519KeyPair } from '../engine/ssh-keys/ed25519-key-pair.ts';
import { hostKeyFingerprint } from '../engine/transport/host-keys.ts';
import { passwordQuestion } from '../movers/mover-login.ts';
import { createSshHome, type SshHome } from '../movers/testing/ssh-home.ts';
import { startSshStandIn, type SshStandIn, type SshStandInOptions } from '../movers/testing/ssh-stand-in.ts';
import type { MoverQuestion, TrustedHostKey } from '../../shared/contract/mover-calls.ts';
import { moverDesk, type MoverDesk } from './mover-desk.ts';

const never = new AbortController().signal;
const [jumpPair, otherJumpPair, moverPair] = [
  createEd25519KeyPair('jump'),
  createEd25519KeyPair('other jump'),
  createEd25519KeyPair('mover'),
];
const fingerprint = (pair: { readonly publicKey: string }): string => hostKeyFingerprint(pair.publicKey);
const nobody = { onLink: () => undefined, onChange: () => undefined, onEvent: () => undefined };

describe('movers as the workbench handles them', () => {
  const servers: SshStandIn[] = [];
  let home: SshHome;
  let desk: MoverDesk;
  const start = async (options: SshStandInOptions): Promise<SshStandIn> => {
    const server = await startSshStandIn(options);
    servers.push(server);
    return server;
  };
  /** Movers at one user and address, each behind a jump host of its own. */
  const configure = (jumps: Readonly<Record<string, SshStandIn>>): void =>
    home.writeConfig(
      Object.fromEntries(
        Object.entries(jumps).flatMap(([name, { port }]) => [
          [`to-${name}`, { HostName: '127.0.0.1', Port: port, User: 'hop' }],
          [name, { HostName: '10.0.0.5', User: 'me', ProxyJump: `to-${name}` }],
        ]),
      ),
    );
  type Given = { readonly trusted?: readonly TrustedHostKey[]; readonly secrets?: Readonly<Record<string, string>> };
  const addOnce = (name: string, { trusted = [], secrets = {} }: Given = {}): ReturnType<MoverDesk['add']> =>
    desk.add({ name, destination: name, trusted, secrets }, never);
  const openOnce = (mover: string, secrets: Readonly<Record<string, string>> = {}): ReturnType<MoverDesk['open']> =>
    desk.open({ mover, folder: 'project', create: false, secrets }, nobody, never);
  /** Adds it as a person does who trusts each key and knows one password; the questions that were asked. */
  const add = async (name: string, password: string): Promise<MoverQuestion[]> => {
    const asked: MoverQuestion[] = [];
    let given: Required<Given> = { trusted: [], secrets: {} };
    for (;;) {
      const answer = await addOnce(name, given);
      if ('mover' in answer) return asked;
      const { question } = answer;
      asked.push(question);
      given =
        question.kind === 'host-key'
          ? { ...given, trusted: [...given.trusted, question] }
          : { ...given, secrets: { ...given.secrets, [question.key]: password } };
    }
  };
  const kinds = (questions: readonly MoverQuestion[]): string[] => questions.map(({ kind }) => kind);
  /** Has the keys of these servers in the known hosts file, so that nobody is asked for them. */
  const know = (...jumps: readonly SshStandIn[]): void =>
    home.writeKnownHosts(
      [`10.0.0.5 ${moverPair.publicKey}`, ...jumps.map(({ port, hostKey }) => `[127.0.0.1]:${port} ${hostKey}`)].join(
        '\n',
      ),
    );
  /** A mover behind its jump host, whose keys are known. */
  const site = async (mover: () => SshStandIn | 'silent' | undefined): Promise<void> => {
    const jump = await start({ pair: jumpPair, acceptsKeys: true, behind: mover });
    configure({ site: jump });
    know(jump);
  };

  beforeEach(() => {
    home = createSshHome();
    desk = moverDesk(
      { version: '0.0.0', application: home.folder },
      { get: () => undefined, set: () => undefined },
      home.book,
    );
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
    home.remove();
  });

  it('asks for each host key by its server, then for the password, and adds the mover', async () => {
    const mover = await start({ pair: moverPair, password: 'word' });
    const jump = await start({ pair: jumpPair, acceptsKeys: true, behind: () => mover });
    configure({ site: jump });
    expect(await add('site', 'word')).toEqual([
      { kind: 'host-key', host: '127.0.0.1', port: jump.port, fingerprint: fingerprint(jumpPair) },
      { kind: 'host-key', host: '10.0.0.5', port: 22, fingerprint: fingerprint(moverPair) },
      { kind: 'password', about: 'me@10.0.0.5', key: expect.any(String) as string },
    ]);
    expect(desk.list()).toMatchObject([
      { name: 'site', fingerprint: fingerprint(moverPair), jumpHosts: [{ fingerprint: fingerprint(jumpPair) }] },
    ]);
  });

  it('asks again for a key that was confirmed for another server', async () => {
    const mover = await start({ pair: moverPair, acceptsKeys: true });
    const jump = await start({ pair: jumpPair, acceptsKeys: true, behind: () => mover });
    configure({ site: jump });
    const ofJump = { host: '127.0.0.1', port: jump.port, fingerprint: fingerprint(jumpPair) };
    const ofMover = { host: '10.0.0.5', port: 22, fingerprint: fingerprint(moverPair) };
    for (const wrong of [
      { ...ofMover, host: '10.0.0.6' },
      { ...ofMover, port: 2222 },
      { ...ofMover, host: ofJump.host, port: ofJump.port },
    ]) {
      expect(await addOnce('site', { trusted: [ofJump, wrong] })).toEqual({
        question: { kind: 'host-key', ...ofMover },
      });
    }
    expect(await addOnce('site', { trusted: [ofJump, ofMover] })).toHaveProperty('mover');
  });

  it('does not add a jump host that answers in place of the mover', async () => {
    const poser = await start({ pair: jumpPair, acceptsKeys: true });
    const jump = await start({ pair: jumpPair, acceptsKeys: true, behind: () => poser });
    configure({ site: jump });
    const trusted = [{ host: '127.0.0.1', port: jump.port, fingerprint: fingerprint(jumpPair) }];
    await expect(addOnce('site', { trusted })).rejects.toMatchObject({ code: 'mover.host-key-repeated' });
    expect([desk.list(), poser.shown]).toEqual([[], []]);
  });

  it('keeps a password for one mover: not for another one at the same user and address behind another jump host', async () => {
    const [one, two] = [
      await start({ pair: moverPair, password: 'first' }),
      await start({ pair: moverPair, password: 'second' }),
    ];
    const jumps = {
      one: await start({ pair: jumpPair, acceptsKeys: true, behind: () => one }),
      two: await start({ pair: otherJumpPair, acceptsKeys: true, behind: () => two }),
    };
    configure(jumps);
    know(jumps.one, jumps.two);
    expect([kinds(await add('one', 'first')), kinds(await add('two', 'second'))]).toEqual([['password'], ['password']]);
    expect(two.shown).not.toContain('password first');
    // What was answered for the first is still there.
    await expect(openOnce('one')).rejects.toMatchObject({ code: 'mover.archive-missing' });
  });

  it('asks again for a password that was changed on the mover, when a project is opened', async () => {
    const mover = await start({ pair: moverPair, password: 'old' });
    await site(() => mover);
    await add('site', 'old');
    mover.password = 'new';
    await expect(openOnce('site')).rejects.toMatchObject({ code: 'mover.login-refused' });
    const answer = await openOnce('site');
    expect(answer).toMatchObject({ question: { kind: 'password', about: 'me@10.0.0.5' } });
    const { key } = (answer as { question: Extract<MoverQuestion, { kind: 'password' }> }).question;
    // Signed in: what is missing is the archive of the engine.
    await expect(openOnce('site', { [key]: 'new' })).rejects.toMatchObject({ code: 'mover.archive-missing' });
  });

  it('asks again for a password that was changed on the mover, when it is added again', async () => {
    const mover = await start({ pair: moverPair, password: 'old' });
    await site(() => mover);
    await add('site', 'old');
    mover.password = 'new';
    await expect(add('site', 'new')).rejects.toMatchObject({ code: 'mover.login-refused' });
    expect(kinds(await add('site', 'new'))).toEqual(['password']);
  });

  it('keeps a password while the mover cannot be reached', async () => {
    let isReachable = true;
    const mover = await start({ pair: moverPair, password: 'word' });
    await site(() => (isReachable ? mover : undefined));
    await add('site', 'word');
    isReachable = false;
    await expect(openOnce('site')).rejects.toMatchObject({ code: 'mover.unreachable' });
    isReachable = true;
    await expect(openOnce('site')).rejects.toMatchObject({ code: 'mover.archive-missing' });
  });

  it('keeps no answer that was not asked for', async () => {
    const mover = await start({ pair: moverPair, acceptsKeys: true });
    await site(() => mover);
    await add('site', 'not used');
    const { key } = passwordQuestion(home.book.get('site'));
    await expect(openOnce('site', { [key]: 'word' })).rejects.toMatchObject({ code: 'mover.archive-missing' });
    Object.assign(mover, { acceptsKeys: false, password: 'word' });
    expect(await openOnce('site')).toMatchObject({ question: { kind: 'password', key } });
  });

  it('ends all that is under way when it is cancelled, also what began before the last', async () => {
    const mover = await start({ pair: moverPair, acceptsKeys: true });
    let isHeld = false;
    let waiting = 0;
    const bothWait = Promise.withResolvers<void>();
    await site(() => {
      if (!isHeld) return mover;
      waiting += 1;
      if (waiting === 2) bothWait.resolve();
      return 'silent';
    });
    await add('site', 'not used');
    isHeld = true;
    const cancelled: string[] = [];
    const noted = (name: string, work: Promise<unknown>): Promise<unknown> => work.catch(() => cancelled.push(name));
    const works = [noted('open', openOnce('site')), noted('add', addOnce('site'))];
    await bothWait.promise;
    expect(cancelled).toEqual([]);
    desk.cancel();
    await Promise.all(works);
    expect(cancelled.toSorted()).toEqual(['add', 'open']);
  });
});
