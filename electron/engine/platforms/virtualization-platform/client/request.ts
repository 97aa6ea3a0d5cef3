import { escapeXml, type XmlElement } from './xml.ts';

/** A managed object of the server: what it is, and its id. */
export interface ManagedObject {
  readonly type: string;
  readonly id: string;
}

export const vm = (id: string): ManagedObject => ({ type: 'VirtualMachine', id });

export function sameObject(one: ManagedObject | undefined, other: ManagedObject | undefined): boolean {
  return one !== undefined && other !== undefined && one.type === other.type && one.id === other.id;
}

/** The object that an element refers to. */
export function objectOf(element: XmlElement | undefined): ManagedObject | undefined {
  const type = element?.attributes['type'];
  return element === undefined || type === undefined || element.text === '' ? undefined : { type, id: element.text };
}

/** A part of a request as XML. The order of parts is that of the API's types: servers refuse others. */
export type Part = string;

export const value = (name: string, content: string | number | boolean): Part =>
  `<${name}>${escapeXml(String(content))}</${name}>`;

export const refer = (name: string, { type, id }: ManagedObject): Part =>
  `<${name} type="${escapeXml(type)}">${escapeXml(id)}</${name}>`;

/** A data object; `type` where the element's own type does not say which one it is. */
export const data = (name: string, parts: readonly Part[], type?: string): Part =>
  `<${name}${type === undefined ? '' : ` xsi:type="${type}"`}>${parts.join('')}</${name}>`;

/** A whole request. */
export function envelope(method: string, target: ManagedObject, parts: readonly Part[]): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
    `<soapenv:Body><${method} xmlns="urn:vim25">${refer('_this', target)}${parts.join('')}</${method}></soapenv:Body></soapenv:Envelope>`
  );
}
