import { ApiError } from './call.ts';
import type { KitRequest, Reply, Route } from './call.ts';
import type { AwsMember, AwsModel, AwsShape } from './descriptions/aws-model.ts';
import { compileRoutes } from './json-protocol.ts';
import type { Protocol } from './json-protocol.ts';

/**
 * How AWS writes requests and answers, by the service's model. Operations see inputs and give outputs with the names of the
 * model's members, e.g. `{ VolumeId: 'vol-1', State: 'creating' }`; a blob is a buffer and a point in time a date.
 */
export function awsProtocol(model: AwsModel): Protocol {
  switch (model.metadata.protocol) {
    case 'ec2':
      return ec2Protocol(model);
    case 'query':
      return queryProtocol(model);
    case 'rest-json':
      return restJsonProtocol(model);
    case 'json':
      return jsonTargetProtocol(model);
    default:
      throw new Error(`no support for the protocol ${model.metadata.protocol}`);
  }
}

// ---- ec2: a form with the action and flat parameters; answers in XML

function ec2Protocol(model: AwsModel): Protocol {
  const { xmlNamespace = '', apiVersion } = model.metadata;
  return {
    route({ url, raw }) {
      const form = new URLSearchParams(raw.length > 0 ? raw.toString('utf8') : url.search);
      const operation = form.get('Action');
      if (operation === null) return undefined;
      return { operation, pathTemplate: '/', params: {} };
    },
    decode({ url, raw }, { operation }) {
      const form = new Map(new URLSearchParams(raw.length > 0 ? raw.toString('utf8') : url.search));
      const described = model.operations[operation];
      if (described === undefined)
        throw new ApiError(400, `The action ${operation} is not valid for this web service.`, {
          code: 'InvalidAction',
        });
      if (form.get('Version') !== apiVersion)
        throw new ApiError(400, `The version ${String(form.get('Version'))} is not valid.`, { code: 'NoSuchVersion' });
      form.delete('Action');
      form.delete('Version');
      const left = new Set(form.keys());
      const input = described.input === undefined ? {} : structureOfForm(model, described.input.shape, '', form, left);
      // What no member takes stays visible under its own name.
      return { ...input, ...Object.fromEntries([...left].map((name) => [name, form.get(name)])) };
    },
    encode(reply, route, requestId) {
      if (route === undefined || typeof reply.body === 'string' || Buffer.isBuffer(reply.body)) return reply;
      const output = model.operations[route.operation]?.output?.shape;
      const inner =
        output === undefined
          ? '<return>true</return>'
          : structureToXml(model, output, (reply.body ?? {}) as Record<string, unknown>);
      const name = `${route.operation}Response`;
      return {
        ...xml(reply.status, `<${name} xmlns="${xmlNamespace}">${element('requestId', requestId)}${inner}</${name}>`),
        headers: { ...xml(0, '').headers, ...reply.headers },
      };
    },
    error: ({ status, code, message, headers }, requestId) => {
      const error = `<Error><Code>${escape(code ?? codeOf(status))}</Code><Message>${escape(message)}</Message></Error>`;
      const reply = xml(
        status,
        `<Response><Errors>${error}</Errors><RequestID>${escape(requestId)}</RequestID></Response>`,
      );
      return { ...reply, headers: { ...reply.headers, ...headers } };
    },
  };
}

// ---- query: the same form; the answer in an element of its own, and errors in another one

function queryProtocol(model: AwsModel): Protocol {
  const { xmlNamespace = '' } = model.metadata;
  const { route, decode } = ec2Protocol(model);
  return {
    route,
    decode,
    encode(reply, found, requestId) {
      if (found === undefined || typeof reply.body === 'string' || Buffer.isBuffer(reply.body)) return reply;
      const output = model.operations[found.operation]?.output?.shape;
      const result =
        output === undefined
          ? ''
          : element(
              `${found.operation}Result`,
              structureToXml(model, output, (reply.body ?? {}) as Record<string, unknown>),
            );
      const name = `${found.operation}Response`;
      const whole = xml(
        reply.status,
        `<${name} xmlns="${xmlNamespace}">${result}<ResponseMetadata>${element('RequestId', requestId)}</ResponseMetadata></${name}>`,
      );
      return { ...whole, headers: { ...whole.headers, ...reply.headers } };
    },
    error: ({ status, code, message, headers }, requestId) => {
      const error = `<Error><Type>${status < 500 ? 'Sender' : 'Receiver'}</Type><Code>${escape(code ?? codeOf(status))}</Code><Message>${escape(message)}</Message></Error>`;
      const reply = xml(
        status,
        `<ErrorResponse xmlns="${xmlNamespace}">${error}${element('RequestId', escape(requestId))}</ErrorResponse>`,
      );
      return { ...reply, headers: { ...reply.headers, ...headers } };
    },
  };
}

const xml = (status: number, body: string): Reply => ({
  status,
  headers: { 'content-type': 'text/xml;charset=UTF-8' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
});
const codeOf = (status: number): string =>
  ({ 429: 'RequestLimitExceeded', 500: 'InternalError', 503: 'Unavailable' } as Record<number, string>)[status] ??
  'InvalidRequest';
const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
const shapeOf = (model: AwsModel, name: string): AwsShape => model.shapes[name] ?? { type: 'string' };

type Form = ReadonlyMap<string, string>;

function structureOfForm(
  model: AwsModel,
  name: string,
  prefix: string,
  form: Form,
  left: Set<string>,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [memberName, member] of Object.entries(shapeOf(model, name).members ?? {})) {
    const key = prefix + (member.queryName ?? capital(member.locationName ?? memberName));
    const value = valueOfForm(model, member.shape, key, form, left);
    if (value !== undefined) found[memberName] = value;
  }
  return found;
}

function valueOfForm(model: AwsModel, name: string, key: string, form: Form, left: Set<string>): unknown {
  const shape = shapeOf(model, name);
  const below = [...left].filter((one) => one.startsWith(`${key}.`));
  if (shape.type === 'structure')
    return below.length === 0 ? undefined : structureOfForm(model, name, `${key}.`, form, left);
  if (shape.type === 'list') {
    const indexes = [...new Set(below.map((one) => Number(one.slice(key.length + 1).split('.')[0])))]
      .filter(Number.isInteger)
      .sort((one, other) => one - other);
    return indexes.length === 0
      ? undefined
      : indexes.map((index) => valueOfForm(model, shape.member?.shape ?? '', `${key}.${index}`, form, left));
  }
  const text = form.get(key);
  if (text === undefined) return undefined;
  left.delete(key);
  return scalarOf(shape, text);
}

function structureToXml(model: AwsModel, name: string, value: Readonly<Record<string, unknown>>): string {
  return Object.entries(shapeOf(model, name).members ?? {})
    .map(([memberName, member]) => {
      const inner = value[memberName];
      return inner === undefined
        ? ''
        : element(member.locationName ?? memberName, valueToXml(model, member.shape, inner));
    })
    .join('');
}

function valueToXml(model: AwsModel, name: string, value: unknown): string {
  const shape = shapeOf(model, name);
  if (shape.type === 'structure') return structureToXml(model, name, value as Record<string, unknown>);
  if (shape.type === 'list') {
    const { shape: itemShape = '', locationName = 'item' } = shape.member ?? ({} as Partial<AwsMember>);
    return (value as unknown[]).map((item) => element(locationName, valueToXml(model, itemShape, item))).join('');
  }
  if (value instanceof Date) return value.toISOString();
  return Buffer.isBuffer(value) ? value.toString('base64') : escape(String(value));
}

const element = (name: string, inner: string): string => `<${name}>${inner}</${name}>`;
const escape = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

/** A scalar from text; what does not fit stays text, so that the check against the model finds it. */
function scalarOf(shape: AwsShape, text: string): unknown {
  switch (shape.type) {
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'integer':
    case 'long':
    case 'float':
    case 'double':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
    case 'blob':
      return Buffer.from(text, 'base64');
    default:
      return text;
  }
}

// ---- rest-json: paths, query parameters, headers and JSON

function restJsonProtocol(model: AwsModel): Protocol {
  const operations = Object.values(model.operations);
  const table = Object.fromEntries(
    operations.map(({ name, http }) => [`${http.method} ${http.requestUri.split('?')[0]}`, name]),
  );
  const routes = compileRoutes(table);
  return {
    route: ({ method, url }) => routes.find(method, url.pathname),
    decode(request, route) {
      const input = model.operations[route.operation]?.input?.shape;
      if (input === undefined) return undefined;
      const shape = shapeOf(model, input);
      const found: Record<string, unknown> = {};
      for (const [name, member] of Object.entries(shape.members ?? {})) {
        const text = locatedText(request, route, name, member);
        if (text !== undefined) found[name] = scalarOf(shapeOf(model, member.shape), text);
      }
      if (shape.payload !== undefined) {
        if (request.raw.length > 0) found[shape.payload] = request.raw;
        return found;
      }
      return { ...found, ...fromJson(model, input, parseObject(request.raw)) };
    },
    encode(reply, route) {
      const described = route === undefined ? undefined : model.operations[route.operation];
      if (typeof reply.body === 'string' || Buffer.isBuffer(reply.body)) return reply;
      const output = reply.status < 300 ? described?.output?.shape : undefined;
      if (output === undefined) return jsonReply(reply, reply.body);
      const shape = shapeOf(model, output);
      const value = (reply.body ?? {}) as Record<string, unknown>;
      const headers: Record<string, string> = {};
      for (const [name, member] of Object.entries(shape.members ?? {})) {
        if (member.location === 'header' && value[name] !== undefined)
          headers[(member.locationName ?? name).toLowerCase()] = String(value[name]);
      }
      const status = described?.http.responseCode ?? reply.status;
      const whole = { status, headers: { ...headers, ...reply.headers } };
      if (shape.payload !== undefined)
        return {
          ...whole,
          headers: { 'content-type': 'application/octet-stream', ...whole.headers },
          body: value[shape.payload],
        };
      return jsonReply(whole, toJson(model, output, value));
    },
    error: awsJsonError,
  };
}

function locatedText(request: KitRequest, route: Route, name: string, member: AwsMember): string | undefined {
  const key = member.locationName ?? name;
  if (member.location === 'uri') return route.params[key];
  if (member.location === 'querystring') return request.url.searchParams.get(key) ?? undefined;
  if (member.location !== 'header') return undefined;
  const value = request.headers[key.toLowerCase()];
  return Array.isArray(value) ? value.join(',') : value;
}

// ---- json: the operation in a header

function jsonTargetProtocol(model: AwsModel): Protocol {
  const { targetPrefix = '', jsonVersion = '1.1' } = model.metadata;
  return {
    route({ headers }) {
      const [prefix, operation] = String(headers['x-amz-target'] ?? '').split('.');
      return prefix !== targetPrefix || operation === undefined || model.operations[operation] === undefined
        ? undefined
        : { operation, pathTemplate: '/', params: {} };
    },
    decode({ raw }, { operation }) {
      const input = model.operations[operation]?.input?.shape;
      return input === undefined ? {} : fromJson(model, input, parseObject(raw));
    },
    encode(reply, route) {
      const output =
        route === undefined || reply.status >= 300 ? undefined : model.operations[route.operation]?.output?.shape;
      const body = output === undefined ? reply.body : toJson(model, output, reply.body ?? {});
      return jsonReply(reply, body, `application/x-amz-json-${jsonVersion}`);
    },
    error: awsJsonError,
  };
}

function awsJsonError({ status, code, message, headers, members }: ApiError): Reply {
  const type =
    code ??
    (status === 429 ? 'RequestThrottledException' : status >= 500 ? 'InternalServerException' : 'ValidationException');
  return {
    status,
    headers: { 'x-amzn-errortype': type, ...headers },
    body: { __type: type, Message: message, ...members },
  };
}

function jsonReply(reply: Reply, body: unknown, type = 'application/json'): Reply {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return { ...reply, body };
  return { status: reply.status, headers: { 'content-type': type, ...reply.headers }, body: JSON.stringify(body) };
}

function parseObject(raw: Buffer): Record<string, unknown> {
  if (raw.length === 0) return {};
  try {
    const value: unknown = JSON.parse(raw.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new ApiError(400, 'the body is not a JSON object', { code: 'SerializationException' });
}

/** A structure of a JSON body with the model's names; members that are elsewhere in the request are left out. */
function fromJson(model: AwsModel, name: string, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members = Object.entries(shapeOf(model, name).members ?? {}).filter(
    ([, member]) => member.location === undefined,
  );
  const byWire = new Map(
    members.map(([memberName, member]) => [member.locationName ?? memberName, [memberName, member.shape] as const]),
  );
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([key, inner]) => {
        const known = byWire.get(key);
        return known === undefined ? [key, inner] : [known[0], valueFromJson(model, known[1], inner)];
      }),
  );
}

function valueFromJson(model: AwsModel, name: string, value: unknown): unknown {
  const shape = shapeOf(model, name);
  if (shape.type === 'structure' && typeof value === 'object' && value !== null)
    return fromJson(model, name, value as Record<string, unknown>);
  if (shape.type === 'list' && Array.isArray(value))
    return value.map((item) => valueFromJson(model, shape.member?.shape ?? '', item));
  if (shape.type === 'map' && typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, valueFromJson(model, shape.value?.shape ?? '', inner)]),
    );
  }
  return shape.type === 'blob' && typeof value === 'string' ? Buffer.from(value, 'base64') : value;
}

function toJson(model: AwsModel, name: string, value: unknown): unknown {
  const shape = shapeOf(model, name);
  if (shape.type === 'structure' && typeof value === 'object' && value !== null) {
    const entries = Object.entries(shape.members ?? {}).filter(([, member]) => member.location === undefined);
    return Object.fromEntries(
      entries.flatMap(([memberName, member]) => {
        const inner = (value as Record<string, unknown>)[memberName];
        return inner === undefined ? [] : [[member.locationName ?? memberName, toJson(model, member.shape, inner)]];
      }),
    );
  }
  if (Array.isArray(value)) return value.map((item) => toJson(model, shape.member?.shape ?? '', item));
  if (shape.type === 'map' && typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, toJson(model, shape.value?.shape ?? '', inner)]),
    );
  }
  if (shape.type === 'timestamp') return value instanceof Date ? value.getTime() / 1000 : value;
  return Buffer.isBuffer(value) ? value.toString('base64') : value;
}
