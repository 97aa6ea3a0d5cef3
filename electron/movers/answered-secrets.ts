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
 * @param answers by the keys of the questions; an empty one means to go without it
 * @param onUse told the key of each answer that is used
 */
export function answeredSecrets(
  agent: string | undefined,
  answers: Readonly<Record<string, string>>,
  onUse: (key: string) => void = () => undefined,
): SshSecrets {
  const answer = (question: Extract<MoverQuestion, { readonly key: string }>): string | undefined => {
    if (!Object.hasOwn(answers, question.key)) throw new QuestionForPerson(question);
    onUse(question.key);
    return answers[question.key] || undefined;
  };
  return {
    agent,
    passphrase: async (file) => answer({ kind: 'passphrase', about: file, key: file }),
    password: async ({ about, key }) => answer({ kind: 'password', about, key }),
  };
}
