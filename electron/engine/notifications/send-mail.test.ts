import { afterEach, describe, expect, inject, it } from 'vitest';
import type { MailSettings } from '../../../shared/model/notifications.ts';
import { sendMail } from './send-mail.ts';
import { certificateFor } from './testing/certificate.ts';
import { startMailServer, type MailServer } from './testing/mail-server.ts';

const signal = new AbortController().signal;
const message = {
  subject: 'Welle „Nacht 1“: Umstellung beendet, 3 von 3 abgeschlossen',
  text: 'Zeile 1\n.\n.. Ende\n',
  id: 'delivery-1',
};
let server: MailServer;
afterEach(() => server.close());

const to = (more: Partial<MailSettings> = {}): MailSettings => ({
  host: '127.0.0.1',
  port: server.port,
  security: 'none',
  from: 'causeway@example.com',
  to: ['anna@example.com', 'ben@example.com'],
  ...more,
});

describe('a message by mail', () => {
  it('arrives as it was written, whatever characters and lines are in it', async () => {
    server = await startMailServer();
    expect(await sendMail(to(), undefined, message, signal)).toBe('250 taken as 4711');
    const [sent = ''] = server.messages;
    const [head = '', body = ''] = sent.split('\r\n\r\n');
    expect(Buffer.from(body, 'base64').toString('utf8')).toBe(message.text.replaceAll('\n', '\r\n'));
    const subject = /^Subject: (.*(?:\r\n .*)*)/m.exec(head)?.[1] ?? '';
    expect(
      subject
        .split('\r\n ')
        .map((word) => Buffer.from(/=\?UTF-8\?B\?(.*)\?=/.exec(word)?.[1] ?? '', 'base64').toString('utf8'))
        .join(''),
    ).toBe(message.subject);
    expect(head).toContain('Message-ID: <delivery-1@causeway.invalid>');
    expect(Math.max(...sent.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78);
    expect(server.heard.filter((line) => !/^(EHLO|QUIT)/.test(line))).toEqual([
      'MAIL FROM:<causeway@example.com>',
      'RCPT TO:<anna@example.com>',
      'RCPT TO:<ben@example.com>',
      'DATA',
    ]);
  });

  it.skipIf(inject('lacking').includes('openssl'))(
    'signs in only once the connection is encrypted, and believes the pinned certificate alone',
    async () => {
      const tls = await certificateFor();
      server = await startMailServer({ tls });
      await sendMail(
        to({ security: 'starttls', username: 'causeway', caCertificate: tls.cert }),
        'pässword',
        message,
        signal,
      );
      expect(server.heard.slice(0, 5).map((line) => line.split(' ')[0])).toEqual([
        'EHLO',
        'STARTTLS',
        'TLS',
        'EHLO',
        'AUTH',
      ]);
      expect(Buffer.from(server.heard[4]?.split(' ')[2] ?? '', 'base64').toString('utf8')).toBe('\0causeway\0pässword');
      const other = await certificateFor();
      await expect(
        sendMail(
          to({ security: 'starttls', username: 'causeway', caCertificate: other.cert }),
          'password',
          message,
          signal,
        ),
      ).rejects.toMatchObject({ code: 'notification.mail-not-sent' });
      await expect(
        sendMail(to({ security: 'starttls', username: 'causeway' }), 'password', message, signal),
      ).rejects.toMatchObject({ code: 'notification.mail-not-sent' });
      expect(server.heard.filter((line) => line.startsWith('AUTH'))).toHaveLength(1);
    },
  );

  it.skipIf(inject('lacking').includes('openssl'))(
    'speaks TLS from the beginning, and signs in the older way where there is no other',
    async () => {
      const tls = await certificateFor();
      server = await startMailServer({ tls, isTls: true, auth: 'LOGIN' });
      await sendMail(
        to({ security: 'tls', username: 'causeway', caCertificate: tls.cert }),
        'password',
        message,
        signal,
      );
      expect(server.messages).toHaveLength(1);
    },
  );

  it('sends no password where the server offers no encryption', async () => {
    server = await startMailServer();
    await expect(
      sendMail(to({ security: 'starttls', username: 'causeway' }), 'password', message, signal),
    ).rejects.toMatchObject({ code: 'notification.mail-unprotected' });
    expect(server.heard.some((line) => line.startsWith('AUTH'))).toBe(false);
  });

  it('tells a refusal from what may be tried again', async () => {
    server = await startMailServer();
    server.answers.set('RCPT', '550 5.1.1 no such\u0007 user');
    await expect(sendMail(to(), undefined, message, signal)).rejects.toMatchObject({
      code: 'notification.mail-refused',
      message: '550 5.1.1 no such  user',
    });
    server.answers.set('MAIL', '451 later');
    await expect(sendMail(to(), undefined, message, signal)).rejects.toMatchObject({
      code: 'notification.mail-not-sent',
      retryable: true,
    });
    await expect(sendMail(to({ port: 1 }), undefined, message, signal)).rejects.toMatchObject({
      code: 'notification.mail-not-sent',
    });
    expect(server.messages).toEqual([]);
  });
});
