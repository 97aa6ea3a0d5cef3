import { z } from 'zod';
import type { FieldMeta } from '../../shared/plugins/field-meta.ts';
import { unwrap } from '../../shared/plugins/schema-fields.ts';
import { fieldWords } from '../text/text.ts';

export type FieldKind =
  | 'text'
  | 'multiline'
  | 'secret'
  | 'boolean'
  | 'choice'
  | 'number'
  | 'list'
  | 'mapping'
  | 'entries'
  | 'pairs'
  | 'object'
  | 'json';
export type Choice = string | number;

/** One field of a form, made from the schema of its key. */
export interface FieldDescriptor {
  readonly key: string;
  readonly kind: FieldKind;
  readonly label: string;
  readonly required: boolean;
  readonly meta: Partial<FieldMeta>;
  /** Of a choice: what can be chosen. Of a mapping: the keys that there can be, if they are limited. */
  readonly choices?: readonly Choice[];
  /** Of a mapping: the values that there can be, if they are limited. */
  readonly valueChoices?: readonly Choice[];
  /** Of pairs, a list of objects with two texts each: what is at the left and what at the right. */
  readonly pair?: readonly [key: FieldDescriptor, value: FieldDescriptor];
  /** Of an object: its own fields. Of entries, a mapping to objects: those of each. */
  readonly members?: readonly FieldDescriptor[];
}

/**
 * The fields of an object schema in the order of their declaration. What no field fits is edited as JSON.
 *
 * @param below plugin and part of the schema, by which a language names its words for them: `european-cloud/destination`
 */
export function describeFields(schema: z.ZodObject, below: string): FieldDescriptor[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([key, declared]) => {
    const id = `${below}/${key}`;
    const declaredMeta = (declared.meta() ?? {}) as Partial<FieldMeta>;
    const { title, help, group } = fieldWords(id, {
      title: declaredMeta.title ?? key,
      help: declaredMeta.help ?? '',
      group: declaredMeta.group ?? '',
    });
    const meta = { ...declaredMeta, help, group };
    const required = !declared.safeParse(undefined).success;
    return { key, label: title, required, meta, ...kindOf(unwrap(declared), meta, id) };
  });
}

/** Fields by their headings, in the order in which the headings first appear. */
export function groupFields(
  fields: readonly FieldDescriptor[],
): (readonly [group: string, fields: readonly FieldDescriptor[]])[] {
  const groups = new Map<string, FieldDescriptor[]>();
  for (const field of fields) {
    const group = field.meta.group ?? '';
    groups.set(group, [...(groups.get(group) ?? []), field]);
  }
  return [...groups];
}

type Kind = Pick<FieldDescriptor, 'kind' | 'choices' | 'valueChoices' | 'pair' | 'members'>;

function kindOf(schema: z.ZodType, meta: Partial<FieldMeta>, id: string): Kind {
  if (meta.secret === true) return { kind: isTextual(schema) ? 'secret' : 'json' };
  if (schema instanceof z.ZodBoolean || isFlag(schema)) return { kind: 'boolean' };
  if (schema instanceof z.ZodNumber) return { kind: 'number' };
  if (schema instanceof z.ZodObject) return { kind: 'object', members: describeFields(schema, id) };
  if (schema instanceof z.ZodArray) return listKind(schema, id);
  if (schema instanceof z.ZodRecord) return mappingKind(schema, id);
  const choices = choicesOf(schema);
  if (choices !== undefined) return { kind: 'choice', choices };
  if (isText(schema)) return { kind: meta.multiline === true ? 'multiline' : 'text' };
  return { kind: 'json' };
}

function mappingKind(schema: z.ZodRecord, id: string): Kind {
  const entry = unwrap(schema.valueType as z.ZodType);
  if (entry instanceof z.ZodObject) return { kind: 'entries', members: describeFields(entry, id) };
  const valueChoices = choicesOf(schema.valueType as z.ZodType);
  if (valueChoices === undefined && !isText(schema.valueType as z.ZodType)) return { kind: 'json' };
  const choices = choicesOf(schema.keyType as z.ZodType);
  return {
    kind: 'mapping',
    ...(choices === undefined ? {} : { choices }),
    ...(valueChoices === undefined ? {} : { valueChoices }),
  };
}

function listKind({ element }: z.ZodArray, id: string): Kind {
  if (isText(element)) return { kind: 'list' };
  if (!(element instanceof z.ZodObject)) return { kind: 'json' };
  const [key, value, ...others] = describeFields(element, id);
  if (key?.kind !== 'text' || value?.kind !== 'text' || others.length > 0) return { kind: 'json' };
  return { kind: 'pairs', pair: [key, value] };
}

/** A boolean that may also be written as a word. */
function isFlag(schema: z.ZodType): boolean {
  return (
    schema instanceof z.ZodUnion &&
    (schema.options as z.ZodType[]).some((option) => unwrap(option) instanceof z.ZodBoolean) &&
    !(schema.options as z.ZodType[]).some((option) => unwrap(option) instanceof z.ZodObject)
  );
}

export function choicesOf(schema: z.ZodType): readonly Choice[] | undefined {
  if (schema instanceof z.ZodEnum) return schema.options as Choice[];
  if (schema instanceof z.ZodLiteral) return [...schema.values] as Choice[];
  if (!(schema instanceof z.ZodUnion)) return undefined;
  const parts = (schema.options as z.ZodType[]).map((option) => choicesOf(unwrap(option)));
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

function isText(schema: unknown): boolean {
  return (
    schema instanceof z.ZodString ||
    schema instanceof z.ZodStringFormat ||
    (schema instanceof z.ZodType && unwrap(schema) instanceof z.ZodString)
  );
}

/** A text, or a text beside a reference to one. */
function isTextual(schema: z.ZodType): boolean {
  return isText(schema) || (schema instanceof z.ZodUnion && (schema.options as z.ZodType[]).some(isText));
}
