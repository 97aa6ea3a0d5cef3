import { randomUUID } from 'node:crypto';
import { XMLParser } from 'fast-xml-parser';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';

/** Messages of Windows Remote Management: WS-Management with the remote shell's own actions (MS-WSMV). */

const shellUri = 'http://schemas.microsoft.com/wbem/wsman/1/windows/shell';
const transferUri = 'http://schemas.xmlsoap.org/ws/2004/09/transfer';
/** What a server of default settings takes, in bytes. */
export const maxEnvelopeBytes = 512_000;
/** Of one request, in seconds: a Receive without output ends with a fault after it, and is asked again. */
export const operationTimeoutSeconds = 20;
/** The fault of a Receive that found no output in time. */
const noOutputYet = '2150858793';

export interface ShellAction {
  readonly action: string;
  readonly shellId?: string;
  readonly options?: Readonly<Record<string, string>>;
  /** Content of the body, as XML. */
  readonly body: string;
}

export const createShell: ShellAction = {
  action: `${transferUri}/Create`,
  options: { WINRS_NOPROFILE: 'TRUE', WINRS_CODEPAGE: '65001' },
  body: '<rsp:Shell><rsp:InputStreams>stdin</rsp:InputStreams><rsp:OutputStreams>stdout stderr</rsp:OutputStreams></rsp:Shell>',
};

export function deleteShell(shellId: string): ShellAction {
  return { action: `${transferUri}/Delete`, shellId, body: '' };
}

/** Starts a program without cmd.exe, which allows only a quarter of the command line's length. */
export function startCommand(shellId: string, program: string, args: readonly string[]): ShellAction {
  const given = args.map((each) => `<rsp:Arguments>${escaped(each)}</rsp:Arguments>`).join('');
  return {
    action: `${shellUri}/Command`,
    shellId,
    options: { WINRS_CONSOLEMODE_STDIN: 'TRUE', WINRS_SKIP_CMD_SHELL: 'TRUE' },
    body: `<rsp:CommandLine><rsp:Command>${escaped(program)}</rsp:Command>${given}</rsp:CommandLine>`,
  };
}

export function sendInput(shellId: string, commandId: string, bytes: Uint8Array, isLast: boolean): ShellAction {
  const end = isLast ? ' End="true"' : '';
  const content = Buffer.from(bytes).toString('base64');
  return {
    action: `${shellUri}/Send`,
    shellId,
    body: `<rsp:Send><rsp:Stream Name="stdin" CommandId="${escaped(commandId)}"${end}>${content}</rsp:Stream></rsp:Send>`,
  };
}

export function receiveOutput(shellId: string, commandId: string): ShellAction {
  return {
    action: `${shellUri}/Receive`,
    shellId,
    body: `<rsp:Receive><rsp:DesiredStream CommandId="${escaped(commandId)}">stdout stderr</rsp:DesiredStream></rsp:Receive>`,
  };
}

export function terminateCommand(shellId: string, commandId: string): ShellAction {
  return {
    action: `${shellUri}/Signal`,
    shellId,
    body: `<rsp:Signal CommandId="${escaped(commandId)}"><rsp:Code>${shellUri}/signal/terminate</rsp:Code></rsp:Signal>`,
  };
}

/** The whole message. */
export function envelope(address: string, { action, shellId, options, body }: ShellAction): string {
  const required = 's:mustUnderstand="true"';
  const given = Object.entries(options ?? {})
    .map(([name, value]) => `<w:Option Name="${name}">${value}</w:Option>`)
    .join('');
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing"',
    ` xmlns:w="http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd" xmlns:rsp="${shellUri}">`,
    '<s:Header>',
    `<a:To>${escaped(address)}</a:To>`,
    `<w:ResourceURI ${required}>${shellUri}/cmd</w:ResourceURI>`,
    `<a:ReplyTo><a:Address ${required}>http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous</a:Address></a:ReplyTo>`,
    `<a:Action ${required}>${action}</a:Action>`,
    `<w:MaxEnvelopeSize ${required}>${maxEnvelopeBytes}</w:MaxEnvelopeSize>`,
    `<a:MessageID>uuid:${randomUUID().toUpperCase()}</a:MessageID>`,
    '<w:Locale xml:lang="en-US" s:mustUnderstand="false"/>',
    `<w:OperationTimeout>PT${operationTimeoutSeconds}S</w:OperationTimeout>`,
    shellId === undefined
      ? ''
      : `<w:SelectorSet><w:Selector Name="ShellId">${escaped(shellId)}</w:Selector></w:SelectorSet>`,
    given === '' ? '' : `<w:OptionSet>${given}</w:OptionSet>`,
    '</s:Header>',
    `<s:Body>${body}</s:Body>`,
    '</s:Envelope>',
  ].join('');
}

export function escaped(text: string): string {
  const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (letter) => names[letter] ?? letter);
}

const parser = new XMLParser({
  ignoreAttributes: false,
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  attributeNamePrefix: '@',
});

/** One element of an answer; names are without prefixes, attributes begin with @, text is #text. */
export type Element = { readonly [name: string]: Element | readonly Element[] | string | undefined };

/** The body of an answer. @throws `transport.winrm-protocol` */
export function bodyOf(text: string): Element {
  let parsed: unknown;
  // WS-Management has none; they are the one part of XML that grows when it is read.
  if (/<!DOCTYPE/i.test(text)) throw new CausewayError('transport.winrm-protocol', 'a response with a document type');
  try {
    parsed = parser.parse(text);
  } catch (error) {
    throw new CausewayError('transport.winrm-protocol', `a response that is not XML: ${text.slice(0, 200)}`, {
      cause: error,
    });
  }
  const body = child(child(parsed as Element, 'Envelope'), 'Body');
  if (body === undefined)
    throw new CausewayError('transport.winrm-protocol', `a response without a body: ${text.slice(0, 200)}`);
  return body;
}

/** The first element of this name; one that holds text alone becomes an element. */
export function child(element: Element | undefined, name: string): Element | undefined {
  return children(element, name)[0];
}

export function children(element: Element | undefined, name: string): readonly Element[] {
  const found = element?.[name];
  if (found === undefined) return [];
  const list = Array.isArray(found) ? (found as readonly (Element | string)[]) : [found as Element | string];
  return list.map((each) => (typeof each === 'string' ? { '#text': each } : each));
}

export function textOf(element: Element | undefined): string | undefined {
  const text = element?.['#text'];
  return typeof text === 'string' ? text : undefined;
}

export function attribute(element: Element | undefined, name: string): string | undefined {
  const value = element?.[`@${name}`];
  return typeof value === 'string' ? value : undefined;
}

/** The fault of a request to a shell or command that the server no longer has, e.g. after a restart. */
const shellGone = '2150858843';

/** Of who has signed in, but may not manage the server. */
const accessDenied = '5';

export interface Fault {
  /** Only that there was no output yet. */
  readonly isNoOutputYet: boolean;
  readonly isShellGone: boolean;
  readonly isAccessDenied: boolean;
  readonly words: string;
}

/** What a fault says. */
export function faultOf(body: Element): Fault | undefined {
  const fault = child(body, 'Fault');
  if (fault === undefined) return undefined;
  const detail = child(child(fault, 'Detail'), 'WSManFault');
  const words =
    textOf(child(child(fault, 'Reason'), 'Text')) ?? textOf(child(detail, 'Message')) ?? 'a fault without a message';
  const code = attribute(detail, 'Code');
  return {
    isNoOutputYet: code === noOutputYet,
    isShellGone: code === shellGone,
    isAccessDenied: code === accessDenied,
    words: words.trim().slice(0, 500),
  };
}

export interface Output {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Set when the command has ended. */
  readonly exitCode: number | undefined;
}

/** The answer to a Receive. */
export function outputOf(body: Element): Output {
  const answer = child(body, 'ReceiveResponse');
  if (answer === undefined) throw new CausewayError('transport.winrm-protocol', 'a Receive response without output');
  const stream = (name: string): Buffer =>
    Buffer.concat(
      children(answer, 'Stream')
        .filter((each) => attribute(each, 'Name') === name)
        .map((each) => Buffer.from(textOf(each) ?? '', 'base64')),
    );
  const state = child(answer, 'CommandState');
  const isDone = attribute(state, 'State')?.endsWith('/Done') === true;
  return {
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    exitCode: isDone ? Number(textOf(child(state, 'ExitCode')) ?? '0') | 0 : undefined,
  };
}

/** The id that an answer to Create or Command gives. @throws `transport.winrm-protocol` */
export function idOf(body: Element, kind: 'shell' | 'command'): string {
  const created = child(child(body, 'ResourceCreated'), 'ReferenceParameters');
  const selectors = children(child(created, 'SelectorSet'), 'Selector');
  const id =
    kind === 'shell'
      ? (textOf(child(child(body, 'Shell'), 'ShellId')) ??
        textOf(selectors.find((each) => attribute(each, 'Name') === 'ShellId')))
      : textOf(child(child(body, 'CommandResponse'), 'CommandId'));
  if (id === undefined || id === '' || id.length > 200)
    throw new CausewayError('transport.winrm-protocol', `a response without the ID of its ${kind}`);
  return id;
}
