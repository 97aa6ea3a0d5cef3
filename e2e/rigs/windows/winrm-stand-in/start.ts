import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { XMLParser } from 'fast-xml-parser';
import { NtlmServer } from './ntlm-server.ts';
import {
  windowsWorkerUser,
  windowsWorkerUserData,
  createWindowsCertificate,
  createWindowsPassword,
} from '../../../../electron/engine/workers/windows-worker-user-data.ts';

/** A command as the stand-in was told it: the program with its arguments, the decoded script, all of standard input. */
export interface ReceivedCommand {
  readonly program: string;
  readonly script: string;
  readonly input: Buffer;
}

/** What becomes of a request besides what it asks for. */
export type RequestEffect =
  | 'serve'
  | 'cut-before'
  | 'cut-after'
  | 'refuse-503'
  | 'refuse-429'
  | 'gateway-error-after'
  | 'never-answer';

export interface WinrmStandInOptions {
  /** Default: basic. With NTLM, the proof and the binding of the certificate are checked. */
  readonly authentication?: 'basic' | 'ntlm';
  /** Signs callers in by something else, as the server with this certificate. */
  readonly signIn?: ((certificatePem: string) => Promise<SignIn>) | undefined;
  /** Default: 127.0.0.1, and any port. */
  readonly host?: string;
  readonly port?: number;
  /** Default: a new one. */
  readonly password?: string;
  /** Of an authority's making, PEM; default: the one of the product's user data. */
  readonly certificate?: { readonly key: string; readonly cert: string } | undefined;
  /** Asked for every message, with the name of its action. */
  readonly onMessage?: (action: string, command: ReceivedCommand | undefined) => RequestEffect | Promise<RequestEffect>;
}

export interface SignIn {
  /** What the server offers or asks; undefined when the connection is signed in. */
  refusal(request: IncomingMessage): Promise<string | undefined> | string | undefined;
}

export interface CommandAnswer {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  /** More standard output, as it comes; the command ends after the last piece. */
  readonly pieces?: AsyncIterator<string>;
  /** Called when the command is ended from outside. */
  readonly stop?: () => void;
}

export interface WinrmStandIn {
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** Of its certificate, in hex. */
  readonly certificateSha256: string;
  /** Action names in their order. */
  readonly actions: readonly string[];
  readonly commands: readonly ReceivedCommand[];
  /** What was wrong with requests; has to stay empty. */
  readonly violations: readonly string[];
  /** The user data that it was made with. */
  readonly userData: string;
  readonly certificatePem: string;
  /** Schemes by which callers have tried to sign in. */
  readonly schemes: ReadonlySet<string>;
  /** HTTP requests of all kinds, refused ones too. */
  requests(): number;
  /** Shells that nobody deleted. */
  openShells(): number;
  /** Whether callers may manage the server once they have signed in. */
  deny(isDenied: boolean): void;
  /** The next request of this action loses its connection. */
  cutAt(action: string): void;
  close(): Promise<void>;
}

interface RunningCommand {
  readonly program: string;
  readonly script: string;
  readonly input: Buffer[];
  hasEnded: boolean;
  answered: boolean;
  /** Runs from the end of its input on, or from the first look at its output. */
  answer?: Promise<CommandAnswer>;
  next?: Promise<IteratorResult<string>> | undefined;
}

type Element = { readonly [name: string]: Element | readonly Element[] | string | undefined };

const soap = 'http://www.w3.org/2003/05/soap-envelope';
const shellUri = 'http://schemas.microsoft.com/wbem/wsman/1/windows/shell';
const largestEnvelope = 512_000;
/** How long a Receive waits for output. */
const operationMs = 500;

/**
 * Speaks Windows Remote Management as its documents describe it: HTTPS with basic authentication, WS-Management messages
 * with the remote shell's actions. Account and certificate are those of the product's user data for a Windows worker. Every message is checked by hand against what they demand; commands are run by `run`.
 * Each first Receive of a command answers that there is no output yet, as a slow command does.
 */
export async function startWinrmStandIn(
  run: (command: ReceivedCommand) => CommandAnswer | Promise<CommandAnswer>,
  options: WinrmStandInOptions = {},
): Promise<WinrmStandIn> {
  const [username, password] = [windowsWorkerUser, options.password ?? createWindowsPassword()];
  const certificate = await createWindowsCertificate();
  const userData = windowsWorkerUserData(password, certificate);
  const certificatePem = options.certificate?.cert ?? certificate.certPem;
  const basic: SignIn = { refusal: (request) => basicRefusal(request, username, password) };
  const signIn =
    (await options.signIn?.(certificatePem)) ??
    (options.authentication === 'ntlm' ? new NtlmServer(username, password, certificatePem) : basic);
  const actions: string[] = [];
  const commands: ReceivedCommand[] = [];
  const violations: string[] = [];
  const cuts = new Set<string>();
  const schemes = new Set<string>();
  let requests = 0;
  let isDenied = false;
  const shells = new Map<string, Map<string, RunningCommand>>();
  const sockets = new Set<Socket>();
  const parser = new XMLParser({
    ignoreAttributes: false,
    removeNSPrefix: true,
    parseTagValue: false,
    parseAttributeValue: false,
    attributeNamePrefix: '@',
  });

  const receivedBy = (command: RunningCommand): ReceivedCommand => ({
    program: command.program,
    script: command.script,
    input: Buffer.concat(command.input),
  });
  const begin = (command: RunningCommand): Promise<CommandAnswer> =>
    (command.answer ??= (async () => {
      const received = receivedBy(command);
      commands.push(received);
      return run(received);
    })());
  /** Windows ends what runs in a shell with it. */
  const stop = async (command: RunningCommand): Promise<void> => {
    await command.answer?.then(
      (answer) => answer.stop?.(),
      () => undefined,
    );
  };
  const answerTo = async (
    action: string,
    envelope: Element,
  ): Promise<{ readonly status: number; readonly body: string }> => {
    const shellId = selector(envelope, 'ShellId');
    const body = at(envelope, 'Body');
    if (isDenied) return fault('5', 'Access is denied.');
    if (action === 'Create') {
      const id = randomUUID().toUpperCase();
      shells.set(id, new Map());
      return ok(`<rsp:Shell><rsp:ShellId>${id}</rsp:ShellId></rsp:Shell>`);
    }
    const shell = shells.get(shellId ?? '');
    if (shell === undefined) return fault('2150858843', 'The shell was not found on the server.');
    if (action === 'Delete') {
      for (const command of shell.values()) void stop(command);
      shells.delete(shellId ?? '');
      return ok('');
    }
    if (action === 'Command') {
      const line = at(body, 'CommandLine');
      const args = list(line, 'Arguments').map(text);
      const encoded = args[args.indexOf('-EncodedCommand') + 1];
      const length = [text(at(line, 'Command')), ...args].join(' ').length;
      if (length > 32_766) violations.push(`a command line of ${length} characters`);
      if (encoded === undefined) violations.push('a command that is no encoded script');
      const id = randomUUID().toUpperCase();
      shell.set(id, {
        program: text(at(line, 'Command')),
        script: Buffer.from(encoded ?? '', 'base64').toString('utf16le'),
        input: [],
        hasEnded: false,
        answered: false,
      });
      return ok(`<rsp:CommandResponse><rsp:CommandId>${id}</rsp:CommandId></rsp:CommandResponse>`);
    }
    const part = at(body, action);
    const stream = at(part, action === 'Send' ? 'Stream' : 'DesiredStream');
    const commandId = attribute(action === 'Signal' ? part : stream, 'CommandId');
    const command = shell.get(commandId);
    if (command === undefined) return fault('2150858843', 'The command was not found.');
    if (action === 'Send') {
      if (attribute(stream, 'Name') !== 'stdin') violations.push('input to something else than stdin');
      command.input.push(Buffer.from(text(stream), 'base64'));
      if (attribute(stream, 'End') === 'true') {
        command.hasEnded = true;
        begin(command).catch((error: unknown) => violations.push(String(error)));
      }
      return ok('<rsp:SendResponse/>');
    }
    if (action === 'Signal') {
      if (!text(at(part, 'Code')).endsWith('/signal/terminate')) violations.push('an unknown signal');
      await stop(command);
      shell.delete(commandId);
      return ok('<rsp:SignalResponse/>');
    }
    if (text(stream) !== 'stdout stderr') violations.push(`a Receive of "${text(stream)}"`);
    if (!command.answered) {
      command.answered = true;
      return fault(
        '2150858793',
        'The WS-Management service cannot complete the operation within the time specified in OperationTimeout.',
      );
    }
    const { stdout = '', stderr = '', exitCode = 0, pieces } = await begin(command);
    if (pieces !== undefined) {
      const next = await Promise.race([
        (command.next ??= pieces.next()),
        delay(operationMs, undefined, { ref: false }),
      ]);
      if (next === undefined)
        return fault(
          '2150858793',
          'The WS-Management service cannot complete the operation within the time specified in OperationTimeout.',
        );
      command.next = undefined;
      if (next.done !== true)
        return ok(
          `<rsp:ReceiveResponse><rsp:Stream Name="stdout" CommandId="${commandId}">${Buffer.from(next.value).toString('base64')}</rsp:Stream><rsp:CommandState CommandId="${commandId}" State="${shellUri}/CommandState/Running"/></rsp:ReceiveResponse>`,
        );
    }
    shell.delete(commandId);
    // In two pieces, as long output comes.
    const bytes = Buffer.from(stdout);
    const piece = (name: string, content: Buffer): string =>
      `<rsp:Stream Name="${name}" CommandId="${commandId}">${content.toString('base64')}</rsp:Stream>`;
    const middle = Math.ceil(bytes.length / 2);
    return ok(
      [
        '<rsp:ReceiveResponse>',
        piece('stdout', bytes.subarray(0, middle)),
        piece('stdout', bytes.subarray(middle)),
        piece('stderr', Buffer.from(stderr)),
        `<rsp:Stream Name="stdout" CommandId="${commandId}" End="true"/>`,
        `<rsp:CommandState CommandId="${commandId}" State="${shellUri}/CommandState/Done"><rsp:ExitCode>${exitCode}</rsp:ExitCode></rsp:CommandState></rsp:ReceiveResponse>`,
      ].join(''),
    );
  };

  /** What a message has started is done before its answer is lost. */
  const settled = async (envelope: Element, action: string): Promise<void> => {
    if (action !== 'Send') return;
    const id = attribute(at(at(at(envelope, 'Body'), 'Send'), 'Stream'), 'CommandId');
    await shells
      .get(selector(envelope, 'ShellId') ?? '')
      ?.get(id)
      ?.answer?.catch(() => undefined);
  };
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests += 1;
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const message = Buffer.concat(parts);
    if (request.headers.authorization !== undefined) schemes.add(request.headers.authorization.split(' ')[0] ?? '');
    if (request.method !== 'POST' || request.url !== '/wsman')
      violations.push(`${request.method ?? ''} ${request.url ?? ''}`);
    if (!/^application\/soap\+xml;\s*charset=utf-8$/i.test(request.headers['content-type'] ?? ''))
      violations.push(`content type ${request.headers['content-type'] ?? ''}`);
    if (message.length > largestEnvelope) violations.push(`a message of ${message.length} bytes`);
    const refusal = await signIn.refusal(request);
    if (refusal !== undefined) {
      response.writeHead(401, { 'www-authenticate': refusal, 'content-length': '0' }).end();
      return;
    }
    const envelope = at(parser.parse(message.toString('utf8')) as Element, 'Envelope');
    const action =
      text(at(at(envelope, 'Header'), 'Action'))
        .split('/')
        .at(-1) ?? '';
    violations.push(...headerViolations(message.toString('utf8'), envelope, action));
    actions.push(action);
    if (cuts.delete(action)) {
      request.socket.destroy();
      return;
    }
    const commandOf = (): ReceivedCommand | undefined => {
      const part = at(at(envelope, 'Body'), action);
      const id = attribute(at(part, action === 'Send' ? 'Stream' : 'DesiredStream'), 'CommandId');
      const command = shells.get(selector(envelope, 'ShellId') ?? '')?.get(id);
      if (command === undefined) return undefined;
      return {
        ...receivedBy(command),
        input:
          action === 'Send'
            ? Buffer.concat([...command.input, Buffer.from(text(at(part, 'Stream')), 'base64')])
            : Buffer.concat(command.input),
      };
    };
    const effect = (await options.onMessage?.(action, commandOf())) ?? 'serve';
    if (effect === 'never-answer') return;
    if (effect === 'cut-before') return void request.socket.destroy();
    if (effect === 'refuse-503' || effect === 'refuse-429')
      return void response.writeHead(effect === 'refuse-503' ? 503 : 429, { 'content-length': '0' }).end();
    const { status, body } = await answerTo(action, envelope);
    if (effect === 'cut-after') {
      await settled(envelope, action);
      return void request.socket.destroy();
    }
    if (effect === 'gateway-error-after') {
      await settled(envelope, action);
      return void response.writeHead(502, { 'content-length': '0' }).end();
    }
    const answer = `<s:Envelope xmlns:s="${soap}" xmlns:rsp="${shellUri}" xmlns:f="http://schemas.microsoft.com/wbem/wsman/1/wsmanfault"><s:Header/><s:Body>${body}</s:Body></s:Envelope>`;
    response
      .writeHead(status, {
        'content-type': 'application/soap+xml;charset=UTF-8',
        'content-length': String(Buffer.byteLength(answer)),
      })
      .end(answer);
  };

  const server = createServer(options.certificate ?? importedBy(userData), (request, response) => {
    take(request, response).catch((error: unknown) => {
      violations.push(String(error));
      response.destroy();
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(options.port ?? 0, options.host ?? '127.0.0.1', resolve),
  );
  return {
    port: (server.address() as AddressInfo).port,
    username,
    password,
    userData,
    certificateSha256: certificate.fingerprint,
    certificatePem: certificate.certPem,
    actions,
    commands,
    violations,
    schemes,
    requests: () => requests,
    openShells: () => shells.size,
    deny: (value) => void (isDenied = value),
    cutAt: (action) => void cuts.add(action),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function basicRefusal(request: IncomingMessage, username: string, password: string): string | undefined {
  return request.headers.authorization === `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    ? undefined
    : 'Basic realm="WSMAN"';
}

/** The file that the user data has Windows import, with its password. */
function importedBy(userData: string): { readonly pfx: Buffer; readonly passphrase: string } {
  const pfx = /FromBase64String\('([A-Za-z0-9+/=]+)'\)/.exec(userData)?.[1];
  const passphrase = /\$filePassword = ConvertTo-SecureString '([^']+)'/.exec(userData)?.[1];
  if (pfx === undefined || passphrase === undefined) throw new Error('the user data has no certificate to import');
  return { pfx: Buffer.from(pfx, 'base64'), passphrase };
}

/** What the protocol demands of every request's header. */
function headerViolations(raw: string, envelope: Element, action: string): string[] {
  const header = at(envelope, 'Header');
  const found: string[] = [];
  const demand = (isMet: boolean, what: string): void => {
    if (!isMet) found.push(`${action}: ${what}`);
  };
  demand(raw.includes(`"${soap}"`), 'not in SOAP 1.2');
  demand(/^https:\/\/[^/]+\/wsman$/.test(text(at(header, 'To'))), 'no address');
  demand(text(at(header, 'ResourceURI')) === `${shellUri}/cmd`, 'another resource than the command shell');
  demand(
    text(at(at(header, 'ReplyTo'), 'Address')).endsWith('/addressing/role/anonymous'),
    'no anonymous reply address',
  );
  demand(/^uuid:[0-9A-F-]{36}$/.test(text(at(header, 'MessageID'))), 'no message id');
  demand(/^PT\d+S$/.test(text(at(header, 'OperationTimeout'))), 'no time limit');
  demand(Number(text(at(header, 'MaxEnvelopeSize'))) >= 8192, 'no size limit');
  for (const name of ['ResourceURI', 'Action', 'MaxEnvelopeSize'])
    demand(attribute(at(header, name), 'mustUnderstand') === 'true', `${name} may be ignored`);
  const expected = ['Create', 'Delete'].includes(action) ? 'http://schemas.xmlsoap.org/ws/2004/09/transfer' : shellUri;
  demand(text(at(header, 'Action')) === `${expected}/${action}`, 'an unknown action');
  demand(
    (selector(envelope, 'ShellId') !== undefined) === (action !== 'Create'),
    'a shell where none is meant, or none',
  );
  return found;
}

function list(element: Element | undefined, name: string): readonly Element[] {
  const found = element?.[name];
  if (found === undefined) return [];
  return (Array.isArray(found) ? (found as readonly (Element | string)[]) : [found as Element | string]).map((each) =>
    typeof each === 'string' ? { '#text': each } : each,
  );
}

const at = (element: Element | undefined, name: string): Element => list(element, name)[0] ?? {};
const text = (element: Element | undefined): string => (typeof element?.['#text'] === 'string' ? element['#text'] : '');
const attribute = (element: Element, name: string): string =>
  typeof element[`@${name}`] === 'string' ? String(element[`@${name}`]) : '';

function selector(envelope: Element, name: string): string | undefined {
  const found = list(at(at(envelope, 'Header'), 'SelectorSet'), 'Selector').find(
    (each) => attribute(each, 'Name') === name,
  );
  return found === undefined ? undefined : text(found);
}

const ok = (body: string): { readonly status: number; readonly body: string } => ({ status: 200, body });

const fault = (code: string, words: string): { readonly status: number; readonly body: string } => ({
  status: 500,
  body: `<s:Fault><s:Code><s:Value>s:Receiver</s:Value></s:Code><s:Reason><s:Text xml:lang="en-US">${words}</s:Text></s:Reason><s:Detail><f:WSManFault Code="${code}"><f:Message>${words}</f:Message></f:WSManFault></s:Detail></s:Fault>`,
});
