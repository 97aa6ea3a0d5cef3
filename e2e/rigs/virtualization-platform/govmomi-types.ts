import { readFile } from 'node:fs/promises';

/** Where Debian's package of govmomi has the API's types, which were generated from the vendor's own description. */
export const govmomiTypes = '/usr/share/gocode/src/github.com/vmware/govmomi/vim25/types/types.go';

export interface ApiMember {
  readonly name: string;
  /** `string`, `int`, `long`, `boolean`, `dateTime`, `object` for a reference, or the name of a type. */
  readonly type: string;
  readonly isList: boolean;
  readonly isOptional: boolean;
}

/** The API's data types by their names: members in the order of the API, those of the base type first. */
export class ApiTypes {
  readonly #own = new Map<string, { readonly base: string | undefined; readonly members: readonly ApiMember[] }>();

  constructor(source: string) {
    for (const [, name = '', body = ''] of source.matchAll(/^type (\w+) struct \{\n([^]*?)^\}/gm)) {
      const members = [...body.matchAll(/^\t\w+\s+(\S+)\s+`xml:"([^"]+)"/gm)].map(([, type = '', tag = '']) =>
        memberOf(type, tag),
      );
      this.#own.set(name, { base: /^\t(\w+)$/m.exec(body)?.[1], members });
    }
  }

  has(name: string): boolean {
    return this.#own.has(name);
  }

  members(name: string): readonly ApiMember[] {
    const own = this.#own.get(name);
    if (own === undefined) throw new Error(`the API has no type ${name}`);
    return [...(own.base === undefined || own.base === 'DynamicData' ? [] : this.members(own.base)), ...own.members];
  }

  /** Whether a type is another one, or made from it. */
  isA(name: string | undefined, other: string): boolean {
    return name !== undefined && (name === other || this.isA(this.#own.get(name)?.base, other));
  }
}

export async function readApiTypes(): Promise<ApiTypes> {
  return new ApiTypes(await readFile(govmomiTypes, 'utf8'));
}

const simple: Readonly<Record<string, string>> = {
  int32: 'int',
  int64: 'long',
  bool: 'boolean',
  'time.Time': 'dateTime',
  ManagedObjectReference: 'object',
  AnyType: 'any',
};

function memberOf(type: string, tag: string): ApiMember {
  const bare = type.replace(/^(\[\]|\*)+/, '');
  const [name = '', ...options] = tag.split(',');
  return {
    name,
    type: simple[bare] ?? bare.replace(/^Base(?=[A-Z])/, ''),
    isList: type.startsWith('[]'),
    isOptional: type.startsWith('*') || options.includes('omitempty'),
  };
}
