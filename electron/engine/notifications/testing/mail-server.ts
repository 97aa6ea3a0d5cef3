import { createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';

export interface MailServer {
  readonly port: number;
  /** Every line that clients sent, in order; `TLS` where a connection became encrypted. */
  readonly heard: string[];
  /** Whole messages, as they were sent. */
  readonly messages: string[];
  /** Answers instead of the usual ones, by the beginning of a line: each once. */
  readonly answers: Map<string, string>;
  close(): Promise<void>;
}

/** As little of a mail server as a client needs. With a key it offers STARTTLS; `isTls`: it speaks TLS from the beginning. */
export async function startMailServer({
  tls,
  isTls = false,
  auth = 'PLAIN LOGIN',
}: {
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  readonly isTls?: boolean;
  readonly auth?: string;
} = {}): Promise<MailServer> {
  const heard: string[] = [];
  const messages: string[] = [];
  const answers = new Map<string, string>();
  const sockets = new Set<Socket>();
  const secure = (socket: Socket): TLSSocket => {
    heard.push('TLS');
    return new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(tls) });
  };
  const serve = (socket: Socket, isSecure: boolean, greets = true): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.setEncoding('utf8');
    let buffer = '';
    let message: string[] | undefined;
    let secrets = 0;
    const say = (text: string): void => void socket.write(`${text}\r\n`);
    const usual = (line: string): string | undefined => {
      if (secrets > 0) {
        secrets -= 1;
        return secrets > 0 ? '334 UGFzc3dvcmQ6' : '235 welcome';
      }
      const verb = line.split(' ')[0]?.toUpperCase();
      if (verb === 'EHLO')
        return `250-mail.example${tls !== undefined && !isSecure ? '\r\n250-STARTTLS' : ''}\r\n250 AUTH ${auth}`;
      if (line === 'AUTH LOGIN') {
        secrets = 2;
        return '334 VXNlcm5hbWU6';
      }
      if (verb === 'AUTH') return '235 welcome';
      if (verb === 'DATA') {
        message = [];
        return '354 go on';
      }
      return verb === 'QUIT' ? '221 bye' : '250 ok';
    };
    socket.on('data', (piece: string) => {
      buffer += piece;
      for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        if (message !== undefined) {
          if (line !== '.') message.push(line.replace(/^\./, ''));
          else {
            messages.push(message.join('\r\n'));
            message = undefined;
            say('250 taken as 4711');
          }
          continue;
        }
        heard.push(line);
        const instead = [...answers].find(([begin]) => line.startsWith(begin));
        if (instead !== undefined) answers.delete(instead[0]);
        if (instead === undefined && line === 'STARTTLS') {
          say('220 go on');
          socket.removeAllListeners('data');
          serve(secure(socket), true, false);
          return;
        }
        say(instead?.[1] ?? usual(line) ?? '500 what');
      }
    });
    if (greets) say('220 mail.example');
  };
  const server = createServer((socket) => serve(isTls ? secure(socket) : socket, isTls));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    messages,
    answers,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
