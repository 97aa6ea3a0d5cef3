import type { ApiDescription, DescribedAnswer, DescribedRequest, Findings } from './description.ts';
import { isRiskyPattern } from './schemas.ts';

/** A member of a structure: which shape it has, and how it is written. */
export interface AwsMember {
  readonly shape: string;
  readonly locationName?: string;
  readonly queryName?: string;
  /** `uri`, `querystring`, `header`; in the body if absent. */
  readonly location?: string;
}

export interface AwsShape {
  readonly type: string;
  readonly members?: Readonly<Record<string, AwsMember>>;
  readonly required?: readonly string[];
  readonly member?: AwsMember;
  readonly key?: AwsMember;
  readonly value?: AwsMember;
  readonly enum?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: string;
  readonly payload?: string;
  readonly flattened?: boolean;
  readonly union?: boolean;
}

export interface AwsOperation {
  readonly name: string;
  readonly http: { readonly method: string; readonly requestUri: string; readonly responseCode?: number };
  readonly input?: { readonly shape: string };
  readonly output?: { readonly shape: string };
}

/** A service of AWS as its SDKs for Python describe it (`service-2.json`). */
export interface AwsModel {
  readonly metadata: {
    readonly apiVersion: string;
    readonly protocol: string;
    readonly xmlNamespace?: string;
    readonly targetPrefix?: string;
    readonly jsonVersion?: string;
  };
  readonly operations: Readonly<Record<string, AwsOperation>>;
  readonly shapes: Readonly<Record<string, AwsShape>>;
}

/** Holds inputs and outputs, as the protocol decoded them and before it encodes them, against a model's shapes. */
export function awsDescription(model: AwsModel): ApiDescription {
  const check = (shape: string | undefined, value: unknown, what: string): Findings =>
    shape === undefined
      ? { problems: [], checked: 0 }
      : { problems: shapeProblems(model, shape, value, what), checked: 1 };
  return {
    checkRequest({ operation, body }: DescribedRequest): Findings {
      const found = model.operations[operation];
      if (found === undefined) return { problems: ['is not in the model'], checked: 0 };
      return check(found.input?.shape, body ?? {}, 'input');
    },
    checkAnswer({ operation, status, body }: DescribedAnswer): Findings {
      const found = model.operations[operation];
      // Errors have the form of the protocol, not of the model.
      if (found === undefined || status >= 300) return { problems: [], checked: 0 };
      return check(found.output?.shape, body ?? {}, 'output');
    },
  };
}

/** Everything in a value that is not as the shape has it. */
export function shapeProblems(model: AwsModel, name: string, value: unknown, at: string): string[] {
  const shape = model.shapes[name];
  if (shape === undefined) return [`${at}: the model lacks the shape ${name}`];
  switch (shape.type) {
    case 'structure':
      return structureProblems(model, shape, value, at);
    case 'list':
      if (!Array.isArray(value)) return [`${at}: must be a list`];
      return [
        ...sizeProblems(shape, value.length, at),
        ...value.flatMap((item, index) => shapeProblems(model, shape.member?.shape ?? '', item, `${at}[${index}]`)),
      ];
    case 'map':
      if (!isObject(value)) return [`${at}: must be a map`];
      return Object.entries(value).flatMap(([key, item]) => [
        ...shapeProblems(model, shape.key?.shape ?? '', key, `${at} key ${key}`),
        ...shapeProblems(model, shape.value?.shape ?? '', item, `${at}.${key}`),
      ]);
    case 'string':
      return stringProblems(shape, value, at);
    case 'integer':
    case 'long':
      return Number.isInteger(value) ? sizeProblems(shape, value as number, at) : [`${at}: must be an integer`];
    case 'float':
    case 'double':
      return typeof value === 'number' ? sizeProblems(shape, value, at) : [`${at}: must be a number`];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${at}: must be a boolean`];
    case 'timestamp':
      return isTimestamp(value) ? [] : [`${at}: must be a point in time`];
    case 'blob':
      return Buffer.isBuffer(value) ? sizeProblems(shape, value.length, at) : [`${at}: must be bytes`];
    default:
      return [`${at}: the shape ${name} has the unknown type ${shape.type}`];
  }
}

function structureProblems(model: AwsModel, shape: AwsShape, value: unknown, at: string): string[] {
  if (!isObject(value)) return [`${at}: must be a structure`];
  const members = shape.members ?? {};
  const present = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return [
    ...(shape.required ?? []).filter((name) => value[name] === undefined).map((name) => `${at}: lacks ${name}`),
    ...(shape.union === true && present.length !== 1 ? [`${at}: must have exactly one member`] : []),
    ...present.flatMap(([name, inner]) => {
      const member = members[name];
      return member === undefined
        ? [`${at}.${name}: is not a member`]
        : shapeProblems(model, member.shape, inner, `${at}.${name}`);
    }),
  ];
}

function stringProblems(shape: AwsShape, value: unknown, at: string): string[] {
  if (typeof value !== 'string') return [`${at}: must be a string`];
  if (shape.enum !== undefined && !shape.enum.includes(value))
    return [`${at}: ${value} is not one of ${shape.enum.join(', ')}`];
  const problems = sizeProblems(shape, value.length, at);
  if (
    shape.pattern !== undefined &&
    !isRiskyPattern(shape.pattern) &&
    !new RegExp(`^(?:${shape.pattern})$`).test(value)
  )
    problems.push(`${at}: ${value} does not match ${shape.pattern}`);
  return problems;
}

function sizeProblems({ min, max }: AwsShape, size: number, at: string): string[] {
  if (min !== undefined && size < min) return [`${at}: ${size} is less than ${min}`];
  return max !== undefined && size > max ? [`${at}: ${size} is more than ${max}`] : [];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !Buffer.isBuffer(value) &&
  !(value instanceof Date);

const isTimestamp = (value: unknown): boolean =>
  value instanceof Date || typeof value === 'number' || (typeof value === 'string' && !Number.isNaN(Date.parse(value)));
