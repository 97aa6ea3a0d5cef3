import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import type { TypedModels } from '../../cloud-kit/descriptions/typed-models.ts';

type Model = TypedModels['models'][string];
type Fields = NonNullable<Model['fields']>;

/** Files with the declarations of what the vendor's libraries send and read. */
const files: Readonly<Record<'compute' | 'network', readonly string[]>> = {
  compute: [
    'models.d.ts',
    'common/models.d.ts',
    'compute/models.d.ts',
    'computeDisk/models.d.ts',
    'computeSku/models.d.ts',
  ],
  network: ['models.d.ts', 'common/models.d.ts', 'network/models.d.ts'],
};

/**
 * What the vendor's library for compute or network resources says of them, in the form that they have on the wire. The libraries are
 * dependencies of the product and generated from the vendor's descriptions, so that these models are always there.
 */
export function libraryModels(library: keyof typeof files): TypedModels {
  const folder = join(
    dirname(createRequire(import.meta.url).resolve(`@azure/arm-${library}/package.json`)),
    'dist/esm/models',
  );
  const declared = Object.assign(
    {},
    ...files[library].map((file) => declarations(readFileSync(join(folder, file), 'utf8'))),
  ) as Readonly<Record<string, Model>>;
  return {
    models: Object.fromEntries(
      Object.entries(declared).map(([name, model]) => [name, onTheWire(name, model, declared)]),
    ),
  };
}

/** Interfaces, names of types, and lists of known values of a file of declarations. */
export function declarations(text: string): Record<string, Model> {
  const source = ts.createSourceFile('models.d.ts', text, ts.ScriptTarget.Latest);
  return Object.fromEntries(
    source.statements.flatMap((statement): [string, Model][] => {
      if (ts.isInterfaceDeclaration(statement)) {
        const parents = (statement.heritageClauses ?? []).flatMap(({ types }) =>
          types.map((type) => type.getText(source)),
        );
        return [
          [
            statement.name.text,
            {
              kind: 'interface',
              fields: Object.fromEntries(
                statement.members.filter(ts.isPropertySignature).map((member) => fieldOf(member, source)),
              ),
              extends: parents,
            },
          ],
        ];
      }
      if (ts.isEnumDeclaration(statement)) {
        return [
          [
            statement.name.text,
            {
              kind: 'enum',
              values: statement.members.flatMap(({ initializer }) =>
                initializer !== undefined && ts.isStringLiteral(initializer) ? [initializer.text] : [],
              ),
            },
          ],
        ];
      }
      return ts.isTypeAliasDeclaration(statement)
        ? [[statement.name.text, { kind: 'alias', type: statement.type.getText(source) }]]
        : [];
    }),
  );
}

function fieldOf(
  { name, type, questionToken, modifiers }: ts.PropertySignature,
  source: ts.SourceFile,
): [string, Fields[string]] {
  return [
    ts.isStringLiteral(name) ? name.text : name.getText(source),
    {
      type: type?.getText(source) ?? 'unknown',
      optional: questionToken !== undefined,
      readonly: modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword) ?? false,
    },
  ];
}

/** Models whose `properties` are of a model with another name, or with a member that the library calls otherwise. */
const propertiesOf: Readonly<Record<string, string>> = {
  VirtualMachineUpdate: 'VirtualMachineProperties',
  VirtualMachineExtension: 'VirtualMachineExtensionProperties',
};

/** The library lifts the members of a resource's `properties` into the resource; the model that they come from is still declared. */
function onTheWire(name: string, model: Model, all: Readonly<Record<string, Model>>): Model {
  const inner =
    propertiesOf[name] ??
    [`${name}Properties`, `${name}PropertiesFormat`].find((each) => all[each]?.kind === 'interface');
  const lifted = Object.keys(all[inner ?? '']?.fields ?? {});
  const isLifted = propertiesOf[name] !== undefined || lifted.every((field) => model.fields?.[field] !== undefined);
  if (inner === undefined || model.fields === undefined || lifted.length === 0 || !isLifted) return model;
  const own = Object.entries(model.fields).filter(([field]) => !lifted.includes(field));
  return { ...model, fields: { ...Object.fromEntries(own), properties: { type: inner, optional: true } } };
}
