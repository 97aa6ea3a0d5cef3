import type { MoverQuestion } from '../../shared/contract/mover-calls.ts';
import type { SshSecrets } from './mover-login.ts';

/** Thrown where a connection cannot continue before a person has answered. */
export class QuestionForPerson extends Error {
  override readonly name = 'QuestionForPerson';
  readonly question: MoverQuestion;

  constructor(question: MoverQuestion) {
    super(`a person has to answer: ${question.kind}`);
    this.question = question;
  }
}

/**
 * What SSH asks, answered from what a person said before. What nobody has answered yet ends the attempt with the question, so that it can be
 * asked on a page and the attempt be repeated.
 *
 * @param answers by the file of a key, or by `user@host`; an empty one means to go without it
 */
export function answeredSecrets(agent: string | undefined, answers: Readonly<Record<string, string>>): SshSecrets {
  const answered = (kind: 'password' | 'passphrase') => async (about: string): Promise<string | undefined> => {
    if (!Object.hasOwn(answers, about)) throw new QuestionForPerson({ kind, about });
    return answers[about] || undefined;
  };
  return { agent, passphrase: answered('passphrase'), password: answered('password') };
}
