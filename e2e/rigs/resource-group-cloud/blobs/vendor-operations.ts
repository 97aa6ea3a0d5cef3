import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { XMLParser } from 'fast-xml-parser';
import type { ApiDescription, DescribedAnswer, DescribedRequest } from '../../cloud-kit/descriptions/description.ts';

/** What the vendor's library says of a value: its name on the wire and its type. */
interface Mapper {
  readonly serializedName?: string;
  readonly xmlName?: string;
  readonly xmlElementName?: string;
  readonly xmlIsWrapped?: boolean;
  readonly xmlIsAttribute?: boolean;
  readonly xmlIsMsText?: boolean;
  readonly required?: boolean;
  readonly isConstant?: boolean;
  readonly defaultValue?: unknown;
  readonly headerCollectionPrefix?: string;
  readonly constraints?: { readonly InclusiveMinimum?: number };
  readonly type: {
    readonly name: string;
    readonly className?: string;
    readonly modelProperties?: Readonly<Record<string, Mapper>>;
    readonly element?: Mapper;
    readonly value?: Mapper;
    readonly allowedValues?: readonly unknown[];
  };
}

interface OperationSpec {
  readonly httpMethod: string;
  readonly responses: Readonly<Record<string, { readonly bodyMapper?: Mapper; readonly headersMapper?: Mapper }>>;
  readonly queryParameters?: readonly { readonly mapper: Mapper }[];
  readonly headerParameters?: readonly { readonly mapper: Mapper }[];
}

/** Where the library's generated code has what each operation takes and gives: [file, class, method]. */
const places: Readonly<Record<string, readonly [string, string, string]>> = {
  GetPageRanges: ['pageBlob', 'PageBlobImpl', 'getPageRanges'],
  GetPageRangesDiff: ['pageBlob', 'PageBlobImpl', 'getPageRangesDiff'],
  UploadPages: ['pageBlob', 'PageBlobImpl', 'uploadPages'],
  ClearPages: ['pageBlob', 'PageBlobImpl', 'clearPages'],
  PageBlob_Create: ['pageBlob', 'PageBlobImpl', 'create'],
  PageBlob_Resize: ['pageBlob', 'PageBlobImpl', 'resize'],
  GetBlob: ['blob', 'BlobImpl', 'download'],
  GetBlobProperties: ['blob', 'BlobImpl', 'getProperties'],
  Blob_GetProperties: ['blob', 'BlobImpl', 'getProperties'],
  Blob_SetMetadata: ['blob', 'BlobImpl', 'setMetadata'],
  Blob_CreateSnapshot: ['blob', 'BlobImpl', 'createSnapshot'],
  Blob_Delete: ['blob', 'BlobImpl', 'delete'],
  Blob_StartCopyFromURL: ['blob', 'BlobImpl', 'startCopyFromURL'],
  Blob_AbortCopyFromURL: ['blob', 'BlobImpl', 'abortCopyFromURL'],
  Container_Create: ['container', 'ContainerImpl', 'create'],
  Container_ListBlobFlatSegment: ['container', 'ContainerImpl', 'listBlobFlatSegment'],
};

/** Parts of a signed address, which are no parameters of an operation. */
const signature = new Set([
  'sv',
  'sr',
  'si',
  'sig',
  'se',
  'sp',
  'st',
  'spr',
  'sip',
  'skoid',
  'sktid',
  'skt',
  'ske',
  'sks',
  'skv',
]);
/** What each answer may have besides what is said of its operation. */
const ofTransport = new Set(['x-ms-request-id', 'x-ms-version', 'x-ms-client-request-id', 'x-ms-error-code']);
/** Said to be there always, and by the service's documentation there only for snapshots, and for blobs that were deleted. */
const notAlways = new Set(['Snapshot', 'Deleted']);

/**
 * Requests and answers of page blobs, held against what the vendor's own library says of them: methods, parameters, headers, states of
 * answers, members of bodies, and the form of each value. The library is a dependency of the product, so that this is always on.
 */
export function blobDescription(): ApiDescription {
  const specs = new Map(Object.entries(places).map(([operation, place]) => [operation, specOf(...place)] as const));
  const demand = (operation: string): OperationSpec | undefined => specs.get(operation);
  return {
    checkRequest({ operation, method, query, headers = {} }: DescribedRequest) {
      const spec = demand(operation);
      if (spec === undefined) return { problems: ['is not described'], checked: 0 };
      const mappers = (of: OperationSpec['queryParameters']): Mapper[] => (of ?? []).map(({ mapper }) => mapper);
      return {
        checked: 1,
        problems: [
          ...(method === spec.httpMethod ? [] : [`request: the method is ${method}, and not ${spec.httpMethod}`]),
          ...namedProblems(
            'parameter',
            Object.fromEntries([...query].filter(([name]) => !signature.has(name))),
            mappers(spec.queryParameters),
          ),
          ...namedProblems(
            'header',
            stored(headers),
            mappers(spec.headerParameters).filter(({ serializedName = '' }) => isStored(serializedName)),
          ),
        ],
      };
    },
    checkAnswer({ operation, status, headers = {}, body }: DescribedAnswer) {
      const spec = demand(operation);
      if (spec === undefined) return { problems: [], checked: 0 };
      const at = `answer ${status}`;
      const own = spec.responses[String(status)];
      if (own === undefined && status < 400)
        return { problems: [`${at}: the operation does not answer so`], checked: 1 };
      const shape = own ?? spec.responses['default'];
      const known = Object.values(shape?.headersMapper?.type.modelProperties ?? {});
      const given = Object.fromEntries(Object.entries(stored(headers)).filter(([name]) => !ofTransport.has(name)));
      return {
        checked: 1,
        problems: [
          ...namedProblems(
            'header',
            given,
            known.filter(
              ({ serializedName = '', headerCollectionPrefix }) =>
                headerCollectionPrefix !== undefined || isStored(serializedName),
            ),
          ).map((problem) => `${at}: ${problem}`),
          ...Object.entries(headers).flatMap(([name, value]) => {
            const mapper = known.find(({ serializedName }) => serializedName?.toLowerCase() === name);
            return mapper === undefined ? [] : valueProblems(mapper, String(value), `${at}/${name}`);
          }),
          ...(shape?.bodyMapper === undefined || shape.bodyMapper.type.name === 'Stream'
            ? []
            : bodyProblems(shape.bodyMapper, body, at)),
        ],
      };
    },
  };
}

/** The generated classes hand what they know of an operation to the client that sends it: one that only listens is told all. */
function specOf(file: string, className: string, method: string): OperationSpec {
  const require = createRequire(import.meta.url);
  const folder = join(
    dirname(require.resolve('@azure/storage-blob/package.json')),
    'dist/commonjs/generated/src/operations',
  );
  type Generated = new (client: {
    sendOperationRequest(given: unknown, spec: OperationSpec): void;
  }) => Readonly<Record<string, () => void>>;
  const made = require(join(folder, `${file}.js`)) as Readonly<Record<string, Generated>>;
  const Operations = made[className];
  let heard: OperationSpec | undefined;
  if (Operations !== undefined) {
    const listening = new Operations({
      sendOperationRequest: (_given, spec) => {
        heard = spec;
      },
    });
    listening[method]?.();
  }
  if (heard === undefined) throw new Error(`the vendor's library has no ${className}.${method} in ${file}.js`);
  return heard;
}

/** Headers of HTTP itself are left to the transport. */
const isStored = (name: string): boolean => name.toLowerCase().startsWith('x-ms-');
const stored = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      isStored(name) && value !== undefined ? [[name.toLowerCase(), String(value)]] : [],
    ),
  );
/** Put there by the signing of requests and by the library's pipeline. */
const ofPipeline = new Set(['x-ms-date', 'x-ms-useragent', 'x-ms-client-request-id', 'x-ms-version']);

function namedProblems(what: string, given: Readonly<Record<string, string>>, known: readonly Mapper[]): string[] {
  const prefixes = known.flatMap(({ serializedName = '', type, headerCollectionPrefix }) =>
    headerCollectionPrefix === undefined
      ? type.name === 'Dictionary'
        ? [`${serializedName}-`]
        : []
      : [headerCollectionPrefix],
  );
  const find = (name: string): Mapper | undefined =>
    known.find(({ serializedName = '' }) => serializedName.toLowerCase() === name.toLowerCase());
  const missing = known.filter(
    ({ serializedName = '', required, isConstant }) =>
      (required === true || (isConstant === true && what === 'parameter')) &&
      !Object.keys(given).some((name) => name.toLowerCase() === serializedName.toLowerCase()),
  );
  return [
    ...missing.map(({ serializedName = '' }) => `lacks the ${what} ${serializedName}`),
    ...Object.entries(given).flatMap(([name, value]) => {
      if (ofPipeline.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) return [];
      const mapper = find(name);
      if (mapper === undefined) return [`has no ${what} ${name}`];
      if (mapper.isConstant === true && String(mapper.defaultValue) !== value)
        return [`the ${what} ${name} is ${value}, and not ${String(mapper.defaultValue)}`];
      return valueProblems(mapper, value, `the ${what} ${name}`);
    }),
  ];
}

function valueProblems({ type, constraints }: Mapper, value: string, at: string): string[] {
  switch (type.name) {
    case 'Number': {
      const number = Number(value);
      if (value === '' || Number.isNaN(number)) return [`${at}: ${value} is no number`];
      return constraints?.InclusiveMinimum !== undefined && number < constraints.InclusiveMinimum
        ? [`${at}: ${value} is less than ${constraints.InclusiveMinimum}`]
        : [];
    }
    case 'Boolean':
      return ['true', 'false'].includes(value) ? [] : [`${at}: ${value} is neither true nor false`];
    case 'DateTimeRfc1123':
      return new Date(value).toUTCString() === value ? [] : [`${at}: ${value} is no time of RFC 1123`];
    case 'DateTime':
      return Number.isNaN(Date.parse(value)) ? [`${at}: ${value} is no time`] : [];
    case 'ByteArray':
      return Buffer.from(value, 'base64').toString('base64') === value ? [] : [`${at}: ${value} is not base64`];
    case 'Enum':
      return (type.allowedValues ?? []).includes(value)
        ? []
        : [`${at}: ${value} is not one of ${(type.allowedValues ?? []).join(', ')}`];
    default:
      return [];
  }
}

type Node = Readonly<Record<string, unknown>>;
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  textNodeName: '#text',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
});
const asList = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];
const asNode = (value: unknown): Node =>
  typeof value === 'object' && value !== null
    ? (value as Node)
    : value === undefined || value === ''
      ? {}
      : { '#text': value };

function bodyProblems(mapper: Mapper, body: unknown, at: string): string[] {
  if (body === undefined) return [`${at}: lacks its body`];
  const document = parser.parse(String(body)) as Node;
  const root = mapper.xmlName ?? (mapper.serializedName === 'StorageError' ? 'Error' : (mapper.serializedName ?? ''));
  const [name] = Object.keys(document);
  return name === root
    ? memberProblems(mapper, asNode(document[root]), `${at}/${root}`)
    : [`${at}: the body is ${name ?? 'empty'}, and not ${root}`];
}

function memberProblems(mapper: Mapper, node: Node, at: string): string[] {
  const members = Object.values(mapper.type.modelProperties ?? {});
  const keyOf = (member: Mapper): string => {
    const name = member.xmlName ?? member.serializedName ?? '';
    if (member.xmlIsMsText === true) return '#text';
    // Items that nothing stands around.
    if (member.type.name === 'Sequence' && member.xmlIsWrapped !== true) return member.xmlElementName ?? name;
    return member.xmlIsAttribute === true ? `@${name}` : name;
  };
  const known = new Map(members.map((member) => [keyOf(member), member]));
  return [
    ...members
      .filter(
        (member) =>
          member.required === true &&
          member.type.name !== 'Sequence' &&
          !notAlways.has(keyOf(member)) &&
          node[keyOf(member)] === undefined,
      )
      .map((member) => `${at}: lacks ${keyOf(member)}`),
    ...Object.entries(node).flatMap(([key, value]) => {
      const member = known.get(key);
      if (member === undefined)
        return key === '#text' && String(value).trim() === '' ? [] : [`${at}/${key}: is not a member`];
      return asList(value).flatMap((one) => shapeProblems(member, one, `${at}/${key}`));
    }),
  ];
}

function shapeProblems(mapper: Mapper, value: unknown, at: string): string[] {
  const { type } = mapper;
  if (type.name === 'Sequence') return type.element === undefined ? [] : shapeProblems(type.element, value, at);
  if (type.name === 'Composite')
    return memberProblems(type.modelProperties === undefined ? resolved(type.className) : mapper, asNode(value), at);
  if (type.name === 'Dictionary')
    return Object.values(asNode(value)).flatMap((one) =>
      typeof one === 'string' ? [] : [`${at}: must be a map of texts`],
    );
  return typeof value === 'string'
    ? value === ''
      ? []
      : valueProblems(mapper, value, at)
    : [`${at}: must be a value`];
}

/** A model by its name, where only that is said. */
function resolved(className = ''): Mapper {
  const require = createRequire(import.meta.url);
  const file = join(
    dirname(require.resolve('@azure/storage-blob/package.json')),
    'dist/commonjs/generated/src/models/mappers.js',
  );
  const found = Object.values(require(file) as Readonly<Record<string, Mapper>>).find(
    ({ type }) => type.className === className,
  );
  if (found === undefined) throw new Error(`the vendor's library has no model ${className}`);
  return found;
}
