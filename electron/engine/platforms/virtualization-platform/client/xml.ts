import { XMLParser } from 'fast-xml-parser';

/** An element of a SOAP message. Names are without their namespace prefix. */
export interface XmlElement {
  readonly name: string;
  /** The name with its prefix, and attributes with theirs: what a message is written from again. */
  readonly rawName: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Text of an element without children. */
  readonly text: string;
}

/** Larger nesting than any answer of the API has; what nests deeper is no answer of it. */
const deepest = 128;
/** More tags than any page of properties has. Each element takes a hundred times the memory of its text. */
const mostTags = 2_000_000;

/**
 * Reads a SOAP message of a server that may be hostile: document types (and with them entities of their own), deep nesting and millions
 * of elements are refused before the message is parsed. Its size is bounded by the transport.
 *
 * @throws Error with what is wrong
 */
export function parseXml(text: string): XmlElement {
  if (/<!(DOCTYPE|ENTITY|ELEMENT|ATTLIST)/i.test(text)) throw new Error('the XML has a document type definition');
  refuseExcess(text);
  const nodes: unknown = parser.parse(text);
  const roots = (Array.isArray(nodes) ? nodes : []).map(elementOf).filter((element) => element !== undefined);
  const [root] = roots;
  if (root === undefined || roots.length !== 1) throw new Error('not an XML document');
  return root;
}

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
});

function refuseExcess(text: string): void {
  let depth = 0;
  let tags = 0;
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    tags += 1;
    if (tags > mostTags) throw new Error(`the XML has more than ${mostTags} tags`);
    const next = text[at + 1];
    if (next === '!' || next === '?') continue;
    if (next === '/') {
      depth -= 1;
      continue;
    }
    const end = text.indexOf('>', at);
    if (end === -1) return;
    if (text[end - 1] !== '/') depth += 1;
    if (depth > deepest) throw new Error(`the XML nests deeper than ${deepest} elements`);
  }
}

function elementOf(node: unknown): XmlElement | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  const entry = Object.entries(node).find(([key]) => key !== ':@' && key !== '#text');
  if (entry === undefined) return undefined;
  const [rawName, content] = entry as [string, unknown];
  const inner: readonly unknown[] = Array.isArray(content) ? content : [];
  const children = inner.map(elementOf).filter((element) => element !== undefined);
  const given: unknown = (node as Record<string, unknown>)[':@'];
  const attributes =
    typeof given === 'object' && given !== null
      ? Object.fromEntries(Object.entries(given).map(([key, value]) => [key, unescapeXml(String(value))]))
      : {};
  const text =
    children.length > 0 ? '' : inner.map((one) => String((one as Record<string, unknown>)['#text'] ?? '')).join('');
  return { name: rawName.slice(rawName.indexOf(':') + 1), rawName, attributes, children, text: unescapeXml(text) };
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}

export const escapeXml = (text: string): string => text.replaceAll(/[&<>"\r\t\n]/g, (one) => `&#${one.charCodeAt(0)};`);

/** The element as text again, with the prefixes that it came with. */
export function writeXml({ rawName, attributes, children, text }: XmlElement): string {
  const written = Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('');
  return `<${rawName}${written}>${children.length > 0 ? children.map(writeXml).join('') : escapeXml(text)}</${rawName}>`;
}

/** The type that an element names for itself (`xsi:type`, whatever the prefix), without its own prefix. */
export function typeOf(element: XmlElement): string | undefined {
  const named = Object.entries(element.attributes).find(([name]) => name.endsWith(':type'))?.[1];
  return named?.slice(named.indexOf(':') + 1);
}

export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child) => child.name === name);

export const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? [];

/** The element below that a path of names leads to, e.g. `backing.fileName`. */
export const atPath = (element: XmlElement | undefined, path: string): XmlElement | undefined =>
  path.split('.').reduce<XmlElement | undefined>((at, name) => childOf(at, name), element);

export const textAt = (element: XmlElement | undefined, path: string): string | undefined =>
  atPath(element, path)?.text;

export function flagAt(element: XmlElement | undefined, path: string): boolean | undefined {
  const text = textAt(element, path);
  return text === undefined ? undefined : text === 'true' || text === '1';
}

/** A whole number; undefined where there is none, or where it has no exact form. */
export const integerAt = (element: XmlElement | undefined, path: string): number | undefined =>
  integerOf(atPath(element, path));

export function integerOf(element: XmlElement | undefined): number | undefined {
  const text = element?.text.trim();
  const value = text === undefined || !/^[+-]?\d+$/.test(text) ? Number.NaN : Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
