import { describe, expect, it } from 'vitest';
import { answeredSecrets, QuestionForPerson } from './answered-secrets.ts';

const password = { about: 'me@host', key: 'password 1' };

describe('answers to what SSH asks', () => {
  it('are found by the key of the question, not by what a person reads', async () => {
    const used: string[] = [];
    const secrets = answeredSecrets(
      '/agent',
      { 'password 1': 'one', 'password 2': 'two', '/key': 'words', 'me@host': 'not this' },
      (key) => used.push(key),
    );
    expect(secrets.agent).toBe('/agent');
    expect([
      await secrets.password(password),
      await secrets.password({ ...password, key: 'password 2' }),
      await secrets.passphrase('/key'),
    ]).toEqual(['one', 'two', 'words']);
    expect(used).toEqual(['password 1', 'password 2', '/key']);
  });

  it('mean to go without it where they are empty', async () => {
    expect(await answeredSecrets(undefined, { '/key': '' }).passphrase('/key')).toBeUndefined();
  });

  it('end the attempt with the question where there are none', async () => {
    const used: string[] = [];
    const secrets = answeredSecrets(undefined, { 'me@host': 'one' }, (key) => used.push(key));
    await expect(secrets.password(password)).rejects.toMatchObject({ question: { kind: 'password', ...password } });
    await expect(secrets.passphrase('toString')).rejects.toMatchObject({
      question: { kind: 'passphrase', about: 'toString', key: 'toString' },
    });
    await expect(secrets.passphrase('/key')).rejects.toBeInstanceOf(QuestionForPerson);
    expect(used).toEqual([]);
  });
});
