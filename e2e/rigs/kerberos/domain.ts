// needs: krb5-kdc, krb5-admin-server, python3, python3-gssapi
import { execFile, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { closing, temporaryFolder } from '../closing.ts';
import { kill, spawnBound } from '../machines/child-process.ts';
import { freePort } from '../sshd.ts';

const run = promisify(execFile);
const saidSchema = z.object({ complete: z.boolean(), user: z.string().optional(), problem: z.string().optional() });

export interface RigDomain {
  readonly realm: string;
  /** Of its controller. */
  readonly kdc: string;
  /** Commands of `kadmin.local`. */
  administer(...commands: readonly string[]): Promise<void>;
  /** What lets callers with tickets for HTTP/<host> in, as a server with this certificate. */
  service(host: string, certificatePem: string): Promise<TicketService>;
  close(): Promise<void>;
}

export interface DomainOptions {
  readonly realm?: string;
  /** Another domain, to which this one sends those who ask for hosts with these names. */
  readonly sends?: { readonly to: string; readonly hosts: string };
}

/** A domain of its own with MIT Kerberos, on a port of loopback. */
export async function startDomain({ realm = 'CORP.EXAMPLE.COM', sends }: DomainOptions = {}): Promise<RigDomain> {
  await using stack = new AsyncDisposableStack();
  const folder = await temporaryFolder(stack, 'causeway-kerberos-');
  const port = await freePort();
  const files = {
    KRB5_CONFIG: join(folder, 'krb5.conf'),
    KRB5_KDC_PROFILE: join(folder, 'kdc.conf'),
    KRB5_KTNAME: join(folder, 'http.keytab'),
    KRB5RCACHEDIR: folder,
    TMPDIR: folder,
  };
  const env = { ...process.env, ...files };
  await mkdir(join(folder, 'database'));
  await writeFile(
    files.KRB5_CONFIG,
    `[libdefaults]\n default_realm = ${realm}\n dns_lookup_kdc = false\n dns_lookup_realm = false\n dns_canonicalize_hostname = false\n rdns = false\n[realms]\n ${realm} = {\n  kdc = 127.0.0.1:${port}\n }\n${sends === undefined ? '' : `[domain_realm]\n ${sends.hosts} = ${sends.to}\n`}`,
  );
  await writeFile(
    files.KRB5_KDC_PROFILE,
    [
      '[kdcdefaults]',
      ` kdc_tcp_listen = 127.0.0.1:${port}`,
      ' kdc_listen = ""',
      '[realms]',
      ` ${realm} = {`,
      `  database_name = ${folder}/database/principal`,
      `  key_stash_file = ${folder}/database/stash`,
      `  acl_file = ${folder}/acl`,
      '  max_life = 10h',
      '  host_based_services = *',
      '  supported_enctypes = aes256-cts-hmac-sha1-96:normal aes128-cts-hmac-sha1-96:normal',
      ' }',
      '[dbmodules]',
      ` ${realm} = {`,
      '  db_library = db2',
      ` database_name = ${folder}/database/principal`,
      ' }',
      '',
    ].join('\n'),
  );
  const administer = async (...commands: readonly string[]): Promise<void> => {
    for (const command of commands) await run('kadmin.local', ['-r', realm, '-q', command], { env });
  };
  await run('kdb5_util', ['create', '-r', realm, '-s', '-P', randomBytes(12).toString('hex')], { env });
  const kdc = stack.adopt(spawnBound('krb5kdc', ['-n', '-r', realm], { env, stdio: 'ignore' }), (running) =>
    kill(running),
  );
  await listening(port, kdc);
  const opened = stack.move();
  return {
    realm,
    kdc: `127.0.0.1:${port}`,
    administer,
    async service(host, certificatePem) {
      await administer(`addprinc -randkey HTTP/${host}`, `ktadd -k ${files.KRB5_KTNAME} HTTP/${host}`);
      const service = new TicketService(
        spawnBound('/usr/bin/python3', [join(import.meta.dirname, 'accept_tickets.py')], {
          env,
          stdio: ['pipe', 'pipe', 'inherit'],
        }),
        certificatePem,
      );
      return opened.adopt(service, closing);
    },
    close: () => opened.disposeAsync(),
  };
}

/** The server's side of Negotiate with Kerberos: signs in a connection whose ticket, authenticator and channel binding the library of the system takes. */
export class TicketService {
  readonly users: string[] = [];
  readonly problems: string[] = [];
  readonly #process: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  readonly #binding: string;
  readonly #signedIn = new WeakSet<Socket>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(process: ChildProcess, certificatePem: string) {
    if (process.stdout === null) throw new Error('no output');
    this.#process = process;
    this.#answers = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
    this.#binding = Buffer.concat([
      Buffer.from('tls-server-end-point:'),
      createHash('sha256').update(new X509Certificate(certificatePem).raw).digest(),
    ]).toString('base64');
  }

  /** What the server offers; undefined when the connection is signed in. */
  async refusal({ socket, headers }: IncomingMessage): Promise<string | undefined> {
    if (headers.authorization === undefined) return this.#signedIn.has(socket) ? undefined : 'Negotiate, Kerberos';
    const token = /^Negotiate (.+)$/.exec(headers.authorization)?.[1] ?? '';
    const turn = this.#turn.then(async () => {
      this.#process.stdin?.write(`${JSON.stringify({ token, binding: this.#binding })}\n`);
      return saidSchema.parse(JSON.parse(String((await this.#answers.next()).value)));
    });
    this.#turn = turn.catch(() => undefined);
    const said = await turn;
    if (said.user === undefined || !said.complete) {
      this.problems.push(said.problem ?? 'not complete');
      return 'Negotiate';
    }
    this.users.push(said.user);
    this.#signedIn.add(socket);
    return undefined;
  }

  close(): Promise<void> {
    return kill(this.#process);
  }
}

/** It says nowhere when it listens. */
async function listening(port: number, process: ChildProcess): Promise<void> {
  for (;;) {
    if (process.exitCode !== null) throw new Error(`krb5kdc ended with ${process.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    const isUp = await new Promise<boolean>((resolve) =>
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false)),
    );
    socket.destroy();
    if (isUp) return;
    await delay(50);
  }
}
