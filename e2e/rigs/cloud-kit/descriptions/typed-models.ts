import type { ApiDescription, DescribedAnswer, DescribedRequest, Findings } from './description.ts';

interface TypedField {
  /** As TypeScript writes it: `string`, `Date`, `Array<model.Tag>`, `{ [key: string]: string }`, `"A" | "B"`. */
  readonly type: string;
  readonly optional?: boolean;
  readonly readonly?: boolean;
}

interface TypedModel {
  readonly kind: 'interface' | 'alias' | 'enum';
  readonly fields?: Readonly<Record<string, TypedField>>;
  readonly extends?: readonly string[];
  readonly type?: string;
  readonly values?: readonly string[];
}

/** Operations and models as a vendor's SDK for TypeScript declares them, where the vendor publishes nothing better. */
export interface TypedModels {
  readonly models: Readonly<Record<string, TypedModel>>;
}

/**
 * Which models an operation takes and gives. An SDK may lift the members of one model into another; `under` puts them back to
 * where they are on the wire: `{ model: 'Disk', under: { properties: 'DiskProperties' } }`.
 */
export type TypedShape = string | { readonly model: string; readonly under: Readonly<Record<string, string>> };

export interface TypedOperation {
  readonly request?: TypedShape;
  readonly answer?: TypedShape;
  /** Whether the answer is a list: the array itself, or the member that holds it. */
  readonly listIn?: 'body' | (string & {});
}

/** Holds bodies against an SDK's models. Operations that are not named are not known; members without a model are anything. */
export function typedDescription(
  document: TypedModels,
  operations: Readonly<Record<string, TypedOperation>>,
): ApiDescription {
  const { models } = document;
  const named = (text: string): string => text.trim().replace(/^model\./, '');

  const known = new Map<string, Readonly<Record<string, TypedField>>>();

  function fieldsOf(name: string): Readonly<Record<string, TypedField>> {
    const before = known.get(name);
    if (before !== undefined) return before;
    const model = models[name];
    const fields = Object.assign(
      {},
      ...(model?.extends ?? []).map((parent) => fieldsOf(named(parent))),
      model?.fields ?? {},
    ) as Record<string, TypedField>;
    known.set(name, fields);
    return fields;
  }

  function shapeProblems(shape: TypedShape, value: unknown, at: string, isRequest: boolean): string[] {
    if (typeof shape === 'string') return typeProblems(shape, value, at, isRequest);
    const lifted = new Set(Object.values(shape.under).flatMap((name) => Object.keys(fieldsOf(name))));
    const own = Object.fromEntries(Object.entries(fieldsOf(shape.model)).filter(([name]) => !lifted.has(name)));
    const put = Object.fromEntries(
      Object.entries(shape.under).map(([name, type]): [string, TypedField] => [name, { type, optional: true }]),
    );
    return memberProblems({ ...own, ...put }, value, at, isRequest);
  }

  function memberProblems(
    fields: Readonly<Record<string, TypedField>>,
    value: unknown,
    at: string,
    isRequest: boolean,
  ): string[] {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at}: must be an object`];
    const given = value as Readonly<Record<string, unknown>>;
    const missing = Object.entries(fields).filter(
      ([name, field]) =>
        field.optional !== true && !(isRequest && field.readonly === true) && given[name] === undefined,
    );
    return [
      ...missing.map(([name]) => `${at}: lacks ${name}`),
      ...Object.entries(given).flatMap(([name, inner]) => {
        const field = fields[name];
        if (field === undefined) return [`${at}/${name}: is not a member`];
        return inner === undefined || inner === null ? [] : typeProblems(field.type, inner, `${at}/${name}`, isRequest);
      }),
    ];
  }

  function typeProblems(type: string, value: unknown, at: string, isRequest: boolean): string[] {
    const alternatives = splitUnion(type);
    if (alternatives.length > 1) {
      const tried = alternatives.map((one) => typeProblems(one, value, at, isRequest));
      // Those of the alternative that it comes closest to.
      const closest = tried.reduce((best, problems) => (problems.length < best.length ? problems : best));
      return closest.length > 0 && tried.every((problems) => problems.length === 1)
        ? [`${at}: is none of ${type}`]
        : closest;
    }
    const text = named(type);
    const item = /^Array<(.+)>$/.exec(text)?.[1] ?? /^(.+)\[\]$/.exec(text)?.[1];
    if (item !== undefined) {
      return Array.isArray(value)
        ? value.flatMap((one, index) => typeProblems(item, one, `${at}/${index}`, isRequest))
        : [`${at}: must be an array`];
    }
    const values = /^\{\s*\[\w+: string\]:\s*(.+?);?\s*\}$/.exec(text)?.[1] ?? /^Record<string, (.+)>$/.exec(text)?.[1];
    if (values !== undefined) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at}: must be a map`];
      return Object.entries(value).flatMap(([key, inner]) => typeProblems(values, inner, `${at}/${key}`, isRequest));
    }
    if (/^["']/.test(text)) return value === text.slice(1, -1) ? [] : [`${at}: must be ${text}`];
    switch (text) {
      case 'string':
        return typeof value === 'string' ? [] : [`${at}: must be a string`];
      case 'number':
        return typeof value === 'number' ? [] : [`${at}: must be a number`];
      case 'boolean':
        return typeof value === 'boolean' ? [] : [`${at}: must be a boolean`];
      case 'Date':
        return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? [] : [`${at}: must be a point in time`];
      default:
        return modelProblems(text, value, at, isRequest);
    }
  }

  function modelProblems(name: string, value: unknown, at: string, isRequest: boolean): string[] {
    const model = models[name];
    if (model === undefined) return [];
    if (model.kind === 'enum')
      return (model.values ?? []).includes(String(value))
        ? []
        : [`${at}: ${String(value)} is not one of ${(model.values ?? []).join(', ')}`];
    // A string whose known values are listed beside it.
    if (model.kind === 'alias')
      return typeProblems(
        model.type === 'string' && models[`Known${name}`] !== undefined ? `Known${name}` : (model.type ?? 'any'),
        value,
        at,
        isRequest,
      );
    return memberProblems(fieldsOf(name), value, at, isRequest);
  }

  return {
    checkRequest({ operation, body }: DescribedRequest): Findings {
      const shape = operations[operation];
      if (shape === undefined) return { problems: ['is not described'], checked: 0 };
      if (shape.request === undefined)
        return { problems: body === undefined ? [] : ['has a request body, the operation takes none'], checked: 0 };
      return {
        problems: body === undefined ? ['lacks its request body'] : shapeProblems(shape.request, body, 'request', true),
        checked: 1,
      };
    },
    checkAnswer({ operation, status, body }: DescribedAnswer): Findings {
      const shape = operations[operation];
      if (shape?.answer === undefined || status >= 300 || body === undefined) return { problems: [], checked: 0 };
      const { answer, listIn } = shape;
      const what = `answer ${status}`;
      if (listIn === undefined) return { problems: shapeProblems(answer, body, what, false), checked: 1 };
      const items = listIn === 'body' ? body : (body as Readonly<Record<string, unknown>>)[listIn];
      if (!Array.isArray(items)) return { problems: [`${what}: must have a list`], checked: 1 };
      return {
        problems: items.flatMap((item, index) => shapeProblems(answer, item, `${what}/${index}`, false)),
        checked: 1,
      };
    },
  };
}

/** The alternatives of `A | B`, but not of what is in brackets. */
function splitUnion(type: string): string[] {
  if (!type.includes('|')) return [type.trim()];
  const parts: string[] = [];
  let depth = 0;
  let current = '';
  for (const character of type) {
    if ('<{(['.includes(character)) depth += 1;
    if ('>})]'.includes(character)) depth -= 1;
    if (character === '|' && depth === 0) {
      parts.push(current.trim());
      current = '';
    } else {
      current += character;
    }
  }
  return [...parts, current.trim()];
}
