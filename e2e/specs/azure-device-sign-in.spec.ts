import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCore, type Core } from '../../electron/engine/core/core.ts';
import { keyFileWrapper, makeKeyFile } from '../../electron/secrets/key-file-wrapper.ts';
import { createVault, openVault } from '../../electron/secrets/vault.ts';
import type { EventPayload } from '../../shared/contract/contract.ts';
import { closeAll } from '../rigs/closing.ts';
import { startAzureLab, type AzureLab } from '../rigs/resource-group-cloud/source-lab.ts';

type Told = EventPayload<'endpoint.signIn'>;

describe('a person signs in at the resource-group cloud with a device code', () => {
  let lab: AzureLab;
  let folder: string;
  let core: Core;
  const path = (): string => join(folder, '.causeway', 'vault.json');
  const key = (): string => join(folder, 'key');
  const open = (): Core =>
    createCore({ projectFolder: folder, vault: openVault(path(), async () => keyFileWrapper(key())) });
  beforeEach(async () => {
    lab = await startAzureLab();
    lab.cloud.signIn.codeIntervalSeconds = 0.05;
    folder = mkdtempSync(join(tmpdir(), 'causeway-sign-in-'));
    core = open();
    const { service_principal_credentials: _none, ...connection } = lab.connection;
    await core.call('endpoint.add', {
      name: 'azure',
      plugin: 'resource-group-cloud',
      connection: { ...connection, sign_in: 'device_code' },
    });
  });
  afterEach(() =>
    closeAll(
      () => core.close(),
      () => lab.close(),
      () => rmSync(folder, { recursive: true, force: true }),
    ),
  );

  const withVault = async (): Promise<void> => {
    makeKeyFile(key());
    await createVault(path(), keyFileWrapper(key()));
  };
  /** Begins, and waits for the code. */
  const begin = async (attempt: string, signal?: AbortSignal) => {
    const told = Promise.withResolvers<Told>();
    core.subscribe('endpoint.signIn', (payload) => void (payload.attempt === attempt && told.resolve(payload)));
    const answer = core.call('endpoint.signIn', { endpoint: 'azure', attempt }, signal === undefined ? {} : { signal });
    return {
      answer,
      told: await Promise.race([told.promise, answer.then(() => Promise.reject(new Error('no code was shown')))]),
    };
  };
  const tokensAsked = (): number => lab.recorded.filter(({ operation }) => operation === 'Token').length;
  const steps = async () => (await core.call('endpoint.check', { endpoint: 'azure' })).steps;
  const signInStep = async () => (await steps()).find(({ name }) => name === 'Sign in');

  it('shows the code, waits, keeps the session sealed, and uses it after the engine was started again', async () => {
    await withVault();
    expect(await signInStep()).toMatchObject({ outcome: 'failed', code: 'cloud.sign-in-needed' });

    const { answer, told } = await begin('one');
    expect(told.address).toMatch(/^https:\/\//);
    expect(Date.parse(told.expiresAt)).toBeGreaterThan(Date.now());
    lab.cloud.signIn.enter(told.code);
    expect(await answer).toEqual({ account: 'alex@example.onmicrosoft.com' });
    expect(await signInStep()).toMatchObject({ outcome: 'passed' });

    await core.close();
    core = open();
    // Access tokens are not kept, so that the new process asks for one with what it finds in the vault.
    const before = tokensAsked();
    expect(await signInStep()).toMatchObject({ outcome: 'passed' });
    expect(tokensAsked()).toBeGreaterThan(before);
    const plain = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      .join('\n');
    for (const secret of lab.cloud.signIn.personSecrets()) expect(plain).not.toContain(secret);
    expect(lab.cloud.signIn.personSecrets().length).toBeGreaterThan(0);

    // What an administrator or a new password ends has to be done again, and says so.
    lab.cloud.signIn.endSessions();
    expect(await signInStep()).toMatchObject({
      outcome: 'failed',
      code: 'cloud.sign-in-needed',
      evidence: expect.stringContaining('AADSTS50173') as string,
    });
    const again = await begin('two');
    lab.cloud.signIn.enter(again.told.code);
    await again.answer;
    expect(await signInStep()).toMatchObject({ outcome: 'passed' });

    await core.call('endpoint.remove', { endpoint: 'azure' });
    expect(await core.call('vault.list', {})).toEqual([]);
  });

  it('goes on with a new token when the one it has is refused', async () => {
    await withVault();
    const { answer, told } = await begin('one');
    lab.cloud.signIn.enter(told.code);
    await answer;
    expect(await signInStep()).toMatchObject({ outcome: 'passed' });
    // Tokens that end at once: each request is refused, also with the one that is asked for then.
    lab.cloud.signIn.lifetimeSeconds = 0;
    const answered = await steps();
    expect(answered.find(({ name }) => name === 'List VMs')).toMatchObject({ outcome: 'failed' });
    lab.cloud.signIn.lifetimeSeconds = 3600;
    expect((await steps()).filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  });

  it('ends when it is cancelled, declined, or takes too long, and keeps nothing', async () => {
    await withVault();
    const controller = new AbortController();
    const cancelled = await begin('one', controller.signal);
    controller.abort();
    await expect(cancelled.answer).rejects.toMatchObject({ code: 'general.cancelled' });
    // Too late: nobody asks for its token any more.
    lab.cloud.signIn.enter(cancelled.told.code);
    expect(await signInStep()).toMatchObject({ outcome: 'failed', code: 'cloud.sign-in-needed' });

    const declined = await begin('two');
    lab.cloud.signIn.enter(declined.told.code, 'declined');
    await expect(declined.answer).rejects.toMatchObject({
      code: 'cloud.sign-in-incomplete',
      message: expect.stringContaining('declined') as string,
    });

    lab.cloud.signIn.codeLifetimeSeconds = 1;
    const late = await begin('three');
    await expect(late.answer).rejects.toMatchObject({
      code: 'cloud.sign-in-incomplete',
      message: expect.stringContaining('not used in time') as string,
    });
    expect(await signInStep()).toMatchObject({ outcome: 'failed', code: 'cloud.sign-in-needed' });
  });

  it('says before a code is shown that there is no vault to keep the session in', async () => {
    await expect(core.call('endpoint.signIn', { endpoint: 'azure', attempt: 'one' })).rejects.toMatchObject({
      code: 'secrets.no-vault',
    });
    expect(lab.recorded.map(({ operation }) => operation)).not.toContain('DeviceCode');
  });
});
