import * as ebs from '@aws-sdk/client-ebs';
import * as ec2 from '@aws-sdk/client-ec2';
import * as sts from '@aws-sdk/client-sts';
import type { AwsMember, AwsModel, AwsOperation, AwsShape } from '../cloud-kit/descriptions/aws-model.ts';

/**
 * The services' models as the vendor's SDK carries them: what an operation takes and gives, and how that is written. They
 * have no enumerations and limits; the vendor's full models have.
 */

type Traits = Readonly<Record<string, unknown>> | number | undefined;
type Schema = number | string | readonly unknown[] | (() => Schema);

const LIST = 1;
const MAP = 2;
const UNION = 4;
const OPERATION = 9;
/** Of a member whose traits are flags: it is a part of the path, or the body. */
const LABEL = 1;
const PAYLOAD = 16;

const resolved = (schema: Schema): number | string | readonly unknown[] =>
  typeof schema === 'function' ? resolved(schema()) : schema;
const textOf = (traits: Traits, name: string): string | undefined =>
  typeof traits === 'object' && typeof traits[name] === 'string' ? traits[name] : undefined;

/** A reference to a schema with the traits of the member that refers to it. */
function reference(given: unknown): { readonly schema: Schema; readonly traits: Traits } {
  if (Array.isArray(given) && given.length === 2) return { schema: given[0] as Schema, traits: given[1] as Traits };
  return { schema: given as Schema, traits: undefined };
}

class Shapes {
  readonly found: Record<string, AwsShape> = {};

  /** The name of a schema's shape, which is made if it is not there yet. */
  nameOf(given: Schema): string {
    const schema = resolved(given);
    if (typeof schema === 'string') return this.#keep(schema, { type: 'structure', members: {} });
    if (typeof schema === 'number') return this.#scalar(schema);
    const [kind, , name] = schema as readonly [number, string, string];
    if (kind === 0) return this.#scalar(schema[4] as number);
    if (this.found[name] !== undefined) return name;
    if (kind === LIST) {
      this.#keep(name, { type: 'list' });
      return this.#keep(name, { type: 'list', member: this.#member(schema[4]) });
    }
    if (kind === MAP)
      return this.#keep(name, { type: 'map', key: this.#member(schema[4]), value: this.#member(schema[5]) });
    this.#keep(name, { type: 'structure', members: {} });
    const names = schema[4] as readonly string[];
    const parts = schema[5] as readonly unknown[];
    const payload = names.find((_, index) => flagsOf(parts[index], PAYLOAD));
    return this.#keep(name, {
      type: 'structure',
      members: Object.fromEntries(names.map((one, index) => [one, this.#member(parts[index])])),
      required: names.slice(0, Number(schema[6] ?? 0)),
      ...(payload === undefined ? {} : { payload }),
      ...(kind === UNION ? { union: true } : {}),
    });
  }

  #member(given: unknown): AwsMember {
    const { schema, traits } = reference(given);
    const header = textOf(traits, 'httpHeader');
    const query = textOf(traits, 'httpQuery');
    const location =
      header !== undefined ? 'header' : query !== undefined ? 'querystring' : flagsOf(given, LABEL) ? 'uri' : undefined;
    const locationName = header ?? query ?? textOf(traits, 'xmlName') ?? textOf(traits, 'jsonName');
    const queryName = textOf(traits, 'ec2QueryName');
    return {
      shape: this.nameOf(schema),
      ...(location === undefined ? {} : { location }),
      ...(locationName === undefined ? {} : { locationName }),
      ...(queryName === undefined ? {} : { queryName }),
    };
  }

  #scalar(code: number): string {
    if (code >= 64 && code < 128)
      return this.#keep(`List${code}`, { type: 'list', member: { shape: this.#scalar(code - 64) } });
    if (code >= 128)
      return this.#keep(`Map${code}`, {
        type: 'map',
        key: { shape: this.#scalar(0) },
        value: { shape: this.#scalar(code - 128) },
      });
    const type =
      code === 1
        ? 'double'
        : code === 2
          ? 'boolean'
          : code >= 4 && code <= 7
            ? 'timestamp'
            : code === 21 || code === 42
              ? 'blob'
              : 'string';
    return this.#keep(`Scalar${code}`, { type });
  }

  #keep(name: string, shape: AwsShape): string {
    this.found[name] = shape;
    return name;
  }
}

function flagsOf(given: unknown, flag: number): boolean {
  const { traits } = reference(given);
  return typeof traits === 'number' && (traits & flag) !== 0;
}

function modelOf(library: object, metadata: AwsModel['metadata'], names: readonly string[]): AwsModel {
  const shapes = new Shapes();
  const operations = names.map((name): [string, AwsOperation] => {
    const schema = (library as Readonly<Record<string, unknown>>)[`${name}$`];
    if (!Array.isArray(schema) || schema[0] !== OPERATION) throw new Error(`the SDK has no operation ${name}`);
    const traits = schema[3] as { readonly http?: readonly [string, string, number] } | number;
    const [method = 'POST', requestUri = '/', responseCode = 200] =
      (typeof traits === 'object' ? traits.http : undefined) ?? [];
    const output = resolved(schema[5] as Schema);
    return [
      name,
      {
        name,
        http: { method, requestUri, responseCode },
        input: { shape: shapes.nameOf(schema[4] as Schema) },
        ...(output === 'unit' ? {} : { output: { shape: shapes.nameOf(output) } }),
      },
    ];
  });
  return { metadata, operations: Object.fromEntries(operations), shapes: shapes.found };
}

export const ec2Operations = [
  'AttachVolume',
  'AuthorizeSecurityGroupIngress',
  'CreateSecurityGroup',
  'CreateSnapshots',
  'CreateVolume',
  'DeleteSecurityGroup',
  'DeleteSnapshot',
  'DeleteVolume',
  'DescribeImages',
  'DescribeInstances',
  'DescribeInstanceTypes',
  'DescribeSecurityGroups',
  'DescribeSnapshots',
  'DescribeSubnets',
  'DescribeVolumes',
  'DetachVolume',
  'RunInstances',
  'StopInstances',
  'TerminateInstances',
] as const;
export const ebsOperations = ['GetSnapshotBlock', 'ListChangedBlocks', 'ListSnapshotBlocks'] as const;
export const stsOperations = ['AssumeRole', 'GetCallerIdentity'] as const;

export const sdkModels = {
  ec2: modelOf(
    ec2,
    { apiVersion: '2016-11-15', protocol: 'ec2', xmlNamespace: 'http://ec2.amazonaws.com/doc/2016-11-15/' },
    ec2Operations,
  ),
  ebs: modelOf(ebs, { apiVersion: '2019-11-02', protocol: 'rest-json' }, ebsOperations),
  sts: modelOf(
    sts,
    { apiVersion: '2011-06-15', protocol: 'query', xmlNamespace: 'https://sts.amazonaws.com/doc/2011-06-15/' },
    stsOperations,
  ),
} as const;

export type ServiceName = keyof typeof sdkModels;

/** Which service has an operation. */
export function serviceOf(operation: string): ServiceName | undefined {
  return (Object.keys(sdkModels) as ServiceName[]).find((name) => sdkModels[name].operations[operation] !== undefined);
}
