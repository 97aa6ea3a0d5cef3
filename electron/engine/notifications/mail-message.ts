export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** The same at each attempt. */
  readonly id: string;
}

/** A plain text message as RFC 5322 and RFC 2045 have it, lines ended by CR LF. What is in it cannot become a header. */
export function mailMessage({ from, to, subject, text, id }: Mail, at: Date): string {
  const body = Buffer.from(text.replaceAll(/\r?\n/g, '\r\n'), 'utf8').toString('base64').replaceAll(/.{76}/g, '$&\r\n');
  return [
    `From: Causeway <${from}>`,
    `To: ${to.map((one) => `<${one}>`).join(',\r\n ')}`,
    `Subject: ${encodedWords(subject)}`,
    `Date: ${at.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}@causeway.invalid>`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    body,
    '',
  ].join('\r\n');
}

/** A header's text as encoded words (RFC 2047): each of whole characters, and short enough for a line. */
function encodedWords(text: string): string {
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (Buffer.byteLength(word + character) > 42) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  return [...words, word].map((one) => `=?UTF-8?B?${Buffer.from(one, 'utf8').toString('base64')}?=`).join('\r\n ');
}
