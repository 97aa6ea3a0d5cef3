import { describe, expect, it } from 'vitest';
import { awsProtocol } from './aws-protocols.ts';
import { ApiError } from './call.ts';
import type { KitRequest } from './call.ts';
import { awsDescription } from './descriptions/aws-model.ts';
import type { AwsModel } from './descriptions/aws-model.ts';

const scalars = {
  String: { type: 'string' },
  Integer: { type: 'integer' },
  Boolean: { type: 'boolean' },
  Time: { type: 'timestamp' },
  State: { type: 'string', enum: ['creating', 'available'] },
};

/** Shaped as the model of the compute service is. */
const compute: AwsModel = {
  metadata: { apiVersion: '2016-11-15', protocol: 'ec2', xmlNamespace: 'http://ec2.example.invalid/doc/2016-11-15' },
  operations: {
    CreateVolume: {
      name: 'CreateVolume',
      http: { method: 'POST', requestUri: '/' },
      input: { shape: 'CreateVolumeRequest' },
      output: { shape: 'Volume' },
    },
    DeleteVolume: {
      name: 'DeleteVolume',
      http: { method: 'POST', requestUri: '/' },
      input: { shape: 'DeleteVolumeRequest' },
    },
  },
  shapes: {
    ...scalars,
    CreateVolumeRequest: {
      type: 'structure',
      required: ['Size'],
      members: {
        Size: { shape: 'Integer' },
        DryRun: { shape: 'Boolean', locationName: 'dryRun' },
        TagSpecifications: { shape: 'TagSpecificationList', locationName: 'TagSpecification' },
      },
    },
    DeleteVolumeRequest: { type: 'structure', required: ['VolumeId'], members: { VolumeId: { shape: 'String' } } },
    TagSpecificationList: { type: 'list', member: { shape: 'TagSpecification', locationName: 'item' } },
    TagSpecification: {
      type: 'structure',
      members: {
        ResourceType: { shape: 'String', locationName: 'resourceType' },
        Tags: { shape: 'TagList', locationName: 'Tag' },
      },
    },
    TagList: { type: 'list', member: { shape: 'Tag', locationName: 'item' } },
    Tag: {
      type: 'structure',
      members: { Key: { shape: 'String', locationName: 'key' }, Value: { shape: 'String', locationName: 'value' } },
    },
    Volume: {
      type: 'structure',
      members: {
        VolumeId: { shape: 'String', locationName: 'volumeId' },
        State: { shape: 'State', locationName: 'status' },
        CreateTime: { shape: 'Time', locationName: 'createTime' },
        Tags: { shape: 'TagList', locationName: 'tagSet' },
      },
    },
  },
};

const form = (fields: Record<string, string>): KitRequest => ({
  method: 'POST',
  url: new URL('http://aws.invalid/'),
  headers: {},
  raw: Buffer.from(new URLSearchParams({ Version: '2016-11-15', ...fields }).toString()),
});

describe('the query protocol of the compute service', () => {
  const protocol = awsProtocol(compute);

  function decoded(fields: Record<string, string>): unknown {
    const request = form(fields);
    return protocol.decode(request, protocol.route(request)!);
  }

  it('reads flat parameters as the structure that they stand for', () => {
    expect(
      decoded({
        Action: 'CreateVolume',
        Size: '8',
        DryRun: 'false',
        'TagSpecification.1.ResourceType': 'volume',
        'TagSpecification.1.Tag.1.Key': 'a',
        'TagSpecification.1.Tag.1.Value': '1',
        'TagSpecification.1.Tag.2.Key': 'b',
      }),
    ).toEqual({
      Size: 8,
      DryRun: false,
      TagSpecifications: [{ ResourceType: 'volume', Tags: [{ Key: 'a', Value: '1' }, { Key: 'b' }] }],
    });
  });

  it('leaves what the model does not have where the check finds it', () => {
    const body = decoded({ Action: 'CreateVolume', Size: 'eight', 'Shape.1': 'round' });
    expect(
      awsDescription(compute).checkRequest({
        operation: 'CreateVolume',
        pathTemplate: '/',
        method: 'POST',
        query: new URLSearchParams(),
        body,
      }).problems,
    ).toEqual(['input.Size: must be an integer', 'input.Shape.1: is not a member']);
    expect(() => decoded({ Action: 'MakeCoffee' })).toThrow('MakeCoffee');
    expect(() => decoded({ Action: 'CreateVolume', Version: '1999-01-01' })).toThrow('version');
  });

  it('writes answers and errors in XML', () => {
    const route = { operation: 'CreateVolume', pathTemplate: '/', params: {} };
    const output = {
      VolumeId: 'vol-1',
      State: 'creating',
      CreateTime: new Date(0),
      Tags: [{ Key: 'a', Value: '<1>' }],
    };
    expect(protocol.encode({ status: 200, body: output }, route, 'r-1').body).toContain(
      '<CreateVolumeResponse xmlns="http://ec2.example.invalid/doc/2016-11-15"><requestId>r-1</requestId><volumeId>vol-1</volumeId><status>creating</status>' +
        '<createTime>1970-01-01T00:00:00.000Z</createTime><tagSet><item><key>a</key><value>&#60;1&#62;</value></item></tagSet></CreateVolumeResponse>',
    );
    expect(protocol.encode({ status: 200 }, { ...route, operation: 'DeleteVolume' }, 'r-2').body).toContain(
      '<requestId>r-2</requestId><return>true</return>',
    );
    const error = protocol.error(new ApiError(400, 'no such volume', { code: 'InvalidVolume.NotFound' }), 'r-3');
    expect(error).toMatchObject({
      status: 400,
      body: expect.stringContaining(
        '<Error><Code>InvalidVolume.NotFound</Code><Message>no such volume</Message></Error></Errors><RequestID>r-3</RequestID>',
      ) as unknown,
    });
  });
});

describe('the query protocol of other services', () => {
  const identity: AwsModel = {
    metadata: {
      apiVersion: '2011-06-15',
      protocol: 'query',
      xmlNamespace: 'https://sts.example.invalid/doc/2011-06-15/',
    },
    operations: {
      GetCallerIdentity: {
        name: 'GetCallerIdentity',
        http: { method: 'POST', requestUri: '/' },
        input: { shape: 'Nothing' },
        output: { shape: 'Identity' },
      },
    },
    shapes: {
      ...scalars,
      Nothing: { type: 'structure', members: {} },
      Identity: { type: 'structure', members: { Account: { shape: 'String' } } },
    },
  };
  const protocol = awsProtocol(identity);
  const route = { operation: 'GetCallerIdentity', pathTemplate: '/', params: {} };

  it('writes the result in an element of its own, and errors with who made them', () => {
    expect(protocol.route(form({ Action: 'GetCallerIdentity' }))).toEqual(route);
    expect(protocol.encode({ status: 200, body: { Account: '1234' } }, route, 'r-1').body).toContain(
      '<GetCallerIdentityResponse xmlns="https://sts.example.invalid/doc/2011-06-15/"><GetCallerIdentityResult><Account>1234</Account></GetCallerIdentityResult>' +
        '<ResponseMetadata><RequestId>r-1</RequestId></ResponseMetadata></GetCallerIdentityResponse>',
    );
    expect(protocol.error(new ApiError(403, 'no', { code: 'AccessDenied' }), 'r-2')).toMatchObject({
      status: 403,
      body: expect.stringContaining(
        '<Error><Type>Sender</Type><Code>AccessDenied</Code><Message>no</Message></Error><RequestId>r-2</RequestId>',
      ) as unknown,
    });
  });
});

/** Shaped as the model of the block service is. */
const blocks: AwsModel = {
  metadata: { apiVersion: '2019-11-02', protocol: 'rest-json' },
  operations: {
    GetSnapshotBlock: {
      name: 'GetSnapshotBlock',
      http: { method: 'GET', requestUri: '/snapshots/{snapshotId}/blocks/{blockIndex}' },
      input: { shape: 'GetRequest' },
      output: { shape: 'GetResponse' },
    },
    PutSnapshotBlock: {
      name: 'PutSnapshotBlock',
      http: { method: 'PUT', requestUri: '/snapshots/{snapshotId}/blocks/{blockIndex}', responseCode: 201 },
      input: { shape: 'PutRequest' },
      output: { shape: 'PutResponse' },
    },
    StartSnapshot: {
      name: 'StartSnapshot',
      http: { method: 'POST', requestUri: '/snapshots' },
      input: { shape: 'StartRequest' },
      output: { shape: 'StartResponse' },
    },
  },
  shapes: {
    ...scalars,
    SnapshotId: { type: 'string', min: 1, max: 64, pattern: '^snap-[0-9a-f]+$' },
    BlockIndex: { type: 'integer', min: 0 },
    Bytes: { type: 'blob' },
    GetRequest: {
      type: 'structure',
      required: ['SnapshotId', 'BlockIndex', 'BlockToken'],
      members: {
        SnapshotId: { shape: 'SnapshotId', location: 'uri', locationName: 'snapshotId' },
        BlockIndex: { shape: 'BlockIndex', location: 'uri', locationName: 'blockIndex' },
        BlockToken: { shape: 'String', location: 'querystring', locationName: 'blockToken' },
      },
    },
    GetResponse: {
      type: 'structure',
      payload: 'BlockData',
      members: {
        DataLength: { shape: 'Integer', location: 'header', locationName: 'x-amz-Data-Length' },
        BlockData: { shape: 'Bytes' },
      },
    },
    PutRequest: {
      type: 'structure',
      required: ['SnapshotId', 'BlockIndex', 'BlockData'],
      payload: 'BlockData',
      members: {
        SnapshotId: { shape: 'SnapshotId', location: 'uri', locationName: 'snapshotId' },
        BlockIndex: { shape: 'BlockIndex', location: 'uri', locationName: 'blockIndex' },
        DataLength: { shape: 'Integer', location: 'header', locationName: 'x-amz-Data-Length' },
        BlockData: { shape: 'Bytes' },
      },
    },
    PutResponse: {
      type: 'structure',
      members: { Checksum: { shape: 'String', location: 'header', locationName: 'x-amz-Checksum' } },
    },
    StartRequest: { type: 'structure', required: ['VolumeSize'], members: { VolumeSize: { shape: 'Integer' } } },
    StartResponse: {
      type: 'structure',
      members: { SnapshotId: { shape: 'SnapshotId' }, StartTime: { shape: 'Time' } },
    },
  },
};

describe('the protocol with paths, headers and JSON', () => {
  const protocol = awsProtocol(blocks);
  const request = (method: string, path: string, raw = '', headers: Record<string, string> = {}): KitRequest => ({
    method,
    url: new URL(path, 'http://aws.invalid'),
    headers,
    raw: Buffer.from(raw),
  });
  const decoded = (given: KitRequest): unknown => protocol.decode(given, protocol.route(given)!);
  const routed = (given: KitRequest) => protocol.route(given)!;

  it('takes members from the path, the query, headers and the body', () => {
    expect(decoded(request('GET', '/snapshots/snap-1/blocks/7?blockToken=abc'))).toEqual({
      SnapshotId: 'snap-1',
      BlockIndex: 7,
      BlockToken: 'abc',
    });
    expect(decoded(request('PUT', '/snapshots/snap-1/blocks/7', 'bytes', { 'x-amz-data-length': '5' }))).toEqual({
      SnapshotId: 'snap-1',
      BlockIndex: 7,
      DataLength: 5,
      BlockData: Buffer.from('bytes'),
    });
    expect(decoded(request('POST', '/snapshots', '{"VolumeSize":1}'))).toEqual({ VolumeSize: 1 });
  });

  it('puts members into headers, the body or JSON', () => {
    const get = request('GET', '/snapshots/snap-1/blocks/7?blockToken=abc');
    expect(
      protocol.encode({ status: 200, body: { DataLength: 5, BlockData: Buffer.from('bytes') } }, routed(get), ''),
    ).toEqual({
      status: 200,
      headers: { 'content-type': 'application/octet-stream', 'x-amz-data-length': '5' },
      body: Buffer.from('bytes'),
    });
    const put = request('PUT', '/snapshots/snap-1/blocks/7');
    expect(protocol.encode({ status: 200, body: { Checksum: 'c' } }, routed(put), '')).toMatchObject({
      status: 201,
      headers: { 'x-amz-checksum': 'c' },
      body: '{}',
    });
    const start = request('POST', '/snapshots');
    expect(
      protocol.encode({ status: 200, body: { SnapshotId: 'snap-2', StartTime: new Date(1_500) } }, routed(start), '')
        .body,
    ).toBe('{"SnapshotId":"snap-2","StartTime":1.5}');
  });

  it('holds inputs and outputs against their shapes', () => {
    const description = awsDescription(blocks);
    const call = { operation: 'GetSnapshotBlock', pathTemplate: '', method: 'GET', query: new URLSearchParams() };
    expect(description.checkRequest({ ...call, body: { SnapshotId: 'vol-1', BlockIndex: -1 } }).problems).toEqual([
      'input: lacks BlockToken',
      'input.SnapshotId: vol-1 does not match ^snap-[0-9a-f]+$',
      'input.BlockIndex: -1 is less than 0',
    ]);
    expect(
      description.checkAnswer({ ...call, status: 200, body: { DataLength: '5', BlockData: 'text' } }).problems,
    ).toEqual(['output.DataLength: must be an integer', 'output.BlockData: must be bytes']);
    expect(
      description.checkAnswer({ ...call, status: 200, body: { DataLength: 5, BlockData: Buffer.alloc(5) } }),
    ).toEqual({ problems: [], checked: 1 });
  });
});
