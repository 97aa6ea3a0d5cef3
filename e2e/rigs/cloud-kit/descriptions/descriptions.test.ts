import { describe, expect, it } from 'vitest';
import { DescriptionCheck } from './description.ts';
import { openApiDescription } from './openapi.ts';
import { isRiskyPattern } from './schemas.ts';
import { swaggerDescription } from './swagger.ts';
import { typedDescription } from './typed-models.ts';

const query = (text = ''): URLSearchParams => new URLSearchParams(text);

describe('a description in OpenAPI 3', () => {
  const description = openApiDescription({
    paths: {
      '/disks': {
        post: {
          operationId: 'CreateDisk',
          parameters: [{ name: 'zone', in: 'query', required: true }],
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Disk' } } } },
          responses: { 201: { $ref: '#/components/responses/Made' } },
        },
      },
    },
    components: {
      responses: { Made: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Disk' } } } } },
      schemas: {
        Disk: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', pattern: '^(([a-z]|[0-9])+)*$' },
            kind: { type: 'string', enum: ['fast', 'slow'] },
            id: { type: 'string', readOnly: true },
            note: { type: 'string', nullable: true },
            source: { type: 'object', properties: { id: { type: 'string' } } },
            labels: { type: 'object' },
          },
        },
      },
    },
  });
  const call = { operation: 'CreateDisk', pathTemplate: '/disks', method: 'POST' };

  it('finds what a request must not have, and what it lacks', () => {
    const body = {
      kind: 'tiny',
      id: '1',
      source: { id: 'a', size: 2 },
      labels: { anything: 'goes' },
      colour: 'red',
      note: null,
    };
    expect(description.checkRequest({ ...call, query: query('colour=red'), body }).problems).toEqual([
      'query parameter colour is not part of the operation',
      'lacks the query parameter zone',
      "request: must have required property 'name'",
      'request/kind: must be equal to one of the allowed values',
      'request/id: is read-only',
      'request/source/size: is not a property of the document',
      'request/colour: is not a property of the document',
    ]);
    expect(description.checkRequest({ ...call, query: query('zone=a'), body: undefined }).problems).toEqual([
      'lacks its request body',
    ]);
    expect(description.checkRequest({ ...call, query: query('zone=a'), body: { name: 'x' } })).toEqual({
      problems: [],
      checked: 1,
    });
  });

  it('finds answers that the operation does not list, or that are not as listed', () => {
    expect(description.checkAnswer({ ...call, status: 409, body: {} }).problems).toEqual([
      'answered 409, which the operation does not list',
    ]);
    expect(description.checkAnswer({ ...call, status: 201, body: { name: 5 } }).problems).toEqual([
      'answer 201/name: must be string',
    ]);
    expect(description.checkAnswer({ ...call, status: 503, body: 'html' }).problems).toEqual([]);
    expect(
      description.checkAnswer({ ...call, operation: 'MakeDisk', status: 201, body: { name: 'x' } }).problems,
    ).toEqual(['has another operation id in the document']);
    expect(description.checkAnswer({ ...call, pathTemplate: '/discs', status: 201, body: {} }).problems).toEqual([
      'is not in the document',
    ]);
  });

  it('patterns that could backtrack without end are left out', () => {
    expect(['^(([a-z]|[0-9])+)*$', '^([a-z]+)+$', '^(a*)*$'].map(isRiskyPattern)).toEqual([true, true, true]);
    expect(['^[a-z]+$', '^([a-z]|-)*$', '^(?=.{1,63}$)[a-z]+(-[a-z]+)?$'].map(isRiskyPattern)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('a check keeps what does not conform, and leaves out what the description does not have', () => {
    const check = new DescriptionCheck(description, ['Token']);
    check.answer({ ...call, status: 201, body: { name: 5 } });
    check.answer({ operation: 'Token', pathTemplate: '/token', method: 'POST', status: 200, body: {} });
    expect({ violations: check.violations, checked: check.checked }).toEqual({
      violations: ['CreateDisk: answer 201/name: must be string'],
      checked: 1,
    });
    expect(new DescriptionCheck(undefined).active).toBe(false);
  });
});

describe('a description in Swagger 2 with documents beside it', () => {
  const common = {
    parameters: { ApiVersion: { name: 'api-version', in: 'query', required: true, type: 'string' } },
    definitions: {
      Resource: {
        properties: { id: { type: 'string', readOnly: true }, location: { type: 'string' } },
        required: ['location'],
      },
    },
  };
  const description = swaggerDescription(
    {
      paths: {
        '/disks/{name}': {
          parameters: [{ $ref: '../common/types.json#/parameters/ApiVersion' }],
          put: {
            operationId: 'Disks_CreateOrUpdate',
            parameters: [{ name: 'disk', in: 'body', required: true, schema: { $ref: '#/definitions/Disk' } }],
            responses: {
              200: { schema: { $ref: '#/definitions/Disk' } },
              202: {},
              default: { schema: { $ref: '#/definitions/Error' } },
            },
          },
        },
      },
      definitions: {
        Disk: {
          allOf: [{ $ref: '../common/types.json#/definitions/Resource' }],
          properties: {
            sku: { type: 'string', 'x-ms-enum': { name: 'Sku', modelAsString: true }, enum: ['Standard'] },
            osType: { type: 'string', 'x-ms-enum': { name: 'Os', modelAsString: false }, enum: ['Windows', 'Linux'] },
            extended: { $ref: './nowhere.json#/definitions/Extended' },
          },
        },
        Error: {
          properties: { error: { properties: { code: { type: 'string' } }, required: ['code'] } },
          required: ['error'],
        },
      },
    },
    {},
    { 'types.json': common },
  );
  const call = { operation: 'Disks_CreateOrUpdate', pathTemplate: '/disks/{name}', method: 'PUT' };

  it('checks bodies across documents; open enumerations stay open', () => {
    expect(
      description.checkRequest({ ...call, query: query(), body: { sku: 'Fast', osType: 'BeOS', colour: 1 } }).problems,
    ).toEqual([
      'lacks the query parameter api-version',
      "request: must have required property 'location'",
      'request/osType: must be equal to one of the allowed values',
      'request/colour: is not a property of the document',
    ]);
    // What is read-only may come back in a PUT; it is ignored.
    expect(
      description.checkRequest({
        ...call,
        query: query('api-version=1'),
        body: { id: '/disks/a', location: 'west', sku: 'Fast', extended: { any: 1 } },
      }).problems,
    ).toEqual([]);
  });

  it('holds errors against the default answer, and success against its own', () => {
    expect(description.checkAnswer({ ...call, status: 409, body: { error: {} } }).problems).toEqual([
      "answer 409/error: must have required property 'code'",
    ]);
    expect(description.checkAnswer({ ...call, status: 201, body: {} }).problems).toEqual([
      'answered 201, which the operation does not list',
    ]);
    expect(description.checkAnswer({ ...call, status: 200, body: { location: 'west' } })).toEqual({
      problems: [],
      checked: 1,
    });
  });
});

describe('models as an SDK for TypeScript has them', () => {
  const description = typedDescription(
    {
      models: {
        Disk: {
          kind: 'interface',
          fields: {
            id: { type: 'string', readonly: true },
            location: { type: 'string' },
            osType: { type: 'OsType', optional: true },
            sizeGB: { type: 'number', optional: true },
          },
        },
        DiskProperties: {
          kind: 'interface',
          fields: {
            osType: { type: 'OsType', optional: true },
            sizeGB: { type: 'number', optional: true },
            source: { type: 'model.FromImage | model.FromDisk', optional: true },
          },
        },
        OsType: { kind: 'alias', type: 'string' },
        KnownOsType: { kind: 'enum', values: ['Windows', 'Linux'] },
        FromImage: { kind: 'interface', fields: { imageId: { type: 'string' } } },
        FromDisk: {
          kind: 'interface',
          fields: { diskId: { type: 'string' }, tags: { type: '{ [key: string]: string; }', optional: true } },
        },
      },
    },
    {
      CreateDisk: { request: { model: 'Disk', under: { properties: 'DiskProperties' } } },
      ListDisks: { answer: 'Disk', listIn: 'value' },
    },
  );
  const call = { operation: 'CreateDisk', pathTemplate: '', method: 'PUT', query: query() };

  it('are put back to where their members are on the wire', () => {
    expect(
      description.checkRequest({
        ...call,
        body: {
          location: 'west',
          properties: { osType: 'Linux', sizeGB: 4, source: { diskId: 'd', tags: { a: 'b' } } },
        },
      }),
    ).toEqual({ problems: [], checked: 1 });
    expect(
      description.checkRequest({ ...call, body: { sizeGB: 4, properties: { osType: 'BeOS', source: { diskId: 5 } } } })
        .problems,
    ).toEqual([
      'request: lacks location',
      'request/sizeGB: is not a member',
      'request/properties/osType: BeOS is not one of Windows, Linux',
      'request/properties/source/diskId: must be a string',
    ]);
  });

  it('check every item of a list', () => {
    const list = { ...call, operation: 'ListDisks', status: 200 };
    expect(
      description.checkAnswer({ ...list, body: { value: [{ id: '1', location: 'west' }, { location: 'west' }] } })
        .problems,
    ).toEqual(['answer 200/1: lacks id']);
    expect(description.checkAnswer({ ...list, body: {} }).problems).toEqual(['answer 200: must have a list']);
  });
});
