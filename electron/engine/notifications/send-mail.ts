import { hostname } from 'node:os';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isLoopbackHost } from '../../../shared/model/ip-address.ts';
import type { MailSettings } from '../../../shared/model/notifications.ts';
import { mailMessage, type Mail } from './mail-message.ts';
import { SmtpLink, type SmtpAnswer } from './smtp-link.ts';

/**
 * Hands one message to a mail server. Answers with what the server said at the end.
 *
 * @throws CausewayError `notification.mail-refused`, `notification.mail-not-sent` (try again), `notification.mail-unprotected`
 */
export async function sendMail(
  settings: MailSettings,
  password: string | undefined,
  message: Pick<Mail, 'subject' | 'text' | 'id'>,
  signal: AbortSignal,
): Promise<string> {
  const { host, port, security, username, from, to, caCertificate } = settings;
  const link = await SmtpLink.open({ host, port, isTls: security === 'tls', ca: caCertificate }, signal);
  const say = async (text: string, ...expected: readonly number[]): Promise<SmtpAnswer> =>
    demand(await link.say(text, signal), expected);
  try {
    demand(await link.answer(signal), [220]);
    const me = `EHLO ${hostname().replaceAll(/[^A-Za-z0-9.-]/g, '-') || 'localhost'}`;
    let { lines } = await say(me, 250);
    if (security === 'starttls') {
      if (!lines.some((line) => /^STARTTLS$/i.test(line.trim())))
        throw new CausewayError('notification.mail-unprotected', `${host} offers no STARTTLS`);
      await say('STARTTLS', 220);
      await link.secure(signal);
      ({ lines } = await say(me, 250));
    }
    if (username !== undefined && username !== '' && password !== undefined) {
      if (security === 'none' && !isLoopbackHost(host))
        throw new CausewayError('notification.mail-unprotected', `${host}: no password is sent without encryption`);
      await signIn(say, lines, username, password);
    }
    await say(`MAIL FROM:<${from}>`, 250);
    for (const recipient of to) await say(`RCPT TO:<${recipient}>`, 250, 251);
    await say('DATA', 354);
    // A line that is a point alone would end the message.
    const content = mailMessage({ ...message, from, to }, new Date()).replaceAll(/^\./gm, '..');
    const { code, lines: said } = await say(`${content}\r\n.`, 250);
    link.say('QUIT', signal).catch(() => undefined);
    return `${code} ${said.join(' ')}`.slice(0, 300);
  } finally {
    link.close();
  }
}

async function signIn(
  say: (text: string, ...expected: readonly number[]) => Promise<SmtpAnswer>,
  lines: readonly string[],
  username: string,
  password: string,
): Promise<void> {
  const ways = lines
    .filter((line) => /^AUTH[ =]/i.test(line))
    .join(' ')
    .toUpperCase();
  const coded = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
  if (!/\bPLAIN\b/.test(ways) && /\bLOGIN\b/.test(ways)) {
    await say('AUTH LOGIN', 334);
    await say(coded(username), 334);
    await say(coded(password), 235);
  } else await say(`AUTH PLAIN ${coded(`\0${username}\0${password}`)}`, 235);
}

/** What servers answer may be anything: it is shortened, and its control characters are taken out. */
function demand(answer: SmtpAnswer, expected: readonly number[]): SmtpAnswer {
  if (expected.includes(answer.code)) return answer;
  const said = `${answer.code} ${answer.lines.join(' ')}`
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
    .slice(0, 300);
  throw new CausewayError(
    answer.code >= 400 && answer.code < 500 ? 'notification.mail-not-sent' : 'notification.mail-refused',
    said,
    { details: { status: answer.code } },
  );
}
