import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { awsProtocol } from '../cloud-kit/aws-protocols.ts';
import { ApiError, type KitRequest, type Operation } from '../cloud-kit/call.ts';
import { awsDescription, type AwsModel } from '../cloud-kit/descriptions/aws-model.ts';
import type { ApiDescription } from '../cloud-kit/descriptions/description.ts';
import type { Protocol } from '../cloud-kit/json-protocol.ts';
import { startSimulation, type Simulation, type SimulationOptions } from '../cloud-kit/start.ts';
import { ebsOperations } from './ebs-operations.ts';
import { inventoryOperations } from './ec2-operations.ts';
import { RequestQuotas } from './quotas.ts';
import { sdkModels, serviceOf, stsOperations as stsNames, type ServiceName } from './sdk-models.ts';
import { verifySignature, type AccessKey } from './signatures.ts';
import { stsOperations } from './sts-operations.ts';
import { World } from './world.ts';
import { workerOperations } from './worker-operations.ts';

/** The folder with the vendor's full models, if the machine has it. They are not part of the project. */
export const modelsVariable = 'CAUSEWAY_AWS_MODELS';

export interface LargePublicCloudOptions extends SimulationOptions {
  /** Bytes of the unit that volumes' sizes are given in; default: a GiB. */
  readonly unit?: number;
  /** Requests are counted as the vendor documents it. */
  readonly hasQuotas?: boolean;
}

export interface LargePublicCloud extends Simulation<World> {
  readonly key: AccessKey;
  readonly region: string;
  /** What an endpoint's form takes. */
  connection(more?: object): object;
}

const region = 'eu-central-1';
const account = '123456789012';

/** Starts a region of its own on loopback: compute, EBS direct APIs and sign-in behind one address. */
export async function startLargePublicCloud({
  unit = 2 ** 30,
  hasQuotas = false,
  ...options
}: LargePublicCloudOptions = {}): Promise<LargePublicCloud> {
  const key: AccessKey = {
    id: 'AKIALARGEPUBLICCLOUD',
    secret: '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',
    arn: `arn:aws:iam::${account}:user/causeway`,
  };
  const protocols = {
    ec2: awsProtocol(sdkModels.ec2),
    ebs: awsProtocol(sdkModels.ebs),
    sts: awsProtocol(sdkModels.sts),
  };
  const operations: Readonly<Record<string, Operation<World>>> = {
    ...inventoryOperations,
    ...workerOperations,
    ...ebsOperations,
    ...stsOperations,
  };
  const simulation = await startSimulation(
    'large-public-cloud',
    options,
    (ground) => {
      const world = new World(ground, { region, account, unit });
      stock(world);
      world.keys.set(key.id, key);
      if (hasQuotas)
        world.quotas = new RequestQuotas(
          Object.keys(operations).filter((name) => serviceOf(name) !== 'sts'),
          () => ground.clock.now(),
        );
      return world;
    },
    (world) => ({
      protocol: together(protocols),
      operations: Object.fromEntries(
        Object.entries(operations).map(([name, operation]) => [name, admitted(name, operation)]),
      ),
      authenticate: (request) =>
        void verifySignature(request, serviceAsked(request), region, world.keys, world.ground.clock.now()),
      requestIdHeader: 'x-amzn-requestid',
      ...description(),
    }),
  );
  return {
    ...simulation,
    key,
    region,
    connection: (more = {}) => ({
      region,
      access_key_id: key.id,
      secret_access_key: key.secret,
      endpoint_urls: { ec2: simulation.url, ebs: simulation.url, sts: simulation.url },
      ...more,
    }),
  };
}

/** Which service a request is for: each has an address of its own in the real cloud. */
function serviceAsked({ url, raw }: KitRequest): ServiceName {
  if (url.pathname.startsWith('/snapshots')) return 'ebs';
  return new URLSearchParams(raw.toString('utf8')).get('Version') === sdkModels.sts.metadata.apiVersion ? 'sts' : 'ec2';
}

/** The services' protocols behind one address. */
function together(protocols: Readonly<Record<ServiceName, Protocol>>): Protocol {
  const of = (operation: string | undefined): Protocol =>
    protocols[(operation === undefined ? undefined : serviceOf(operation)) ?? 'ec2'];
  return {
    route: (request) => protocols[serviceAsked(request)].route(request),
    decode: (request, route) => of(route.operation).decode(request, route),
    encode: (reply, route, requestId) => of(route?.operation).encode(reply, route, requestId),
    error: (error, requestId, route) => of(route?.operation).error(error, requestId),
  };
}

/** Refuses what the account is not allowed, and ends a dry run where the real request would begin. */
function admitted(name: string, operation: Operation<World>): Operation<World> {
  return (call) => {
    const service = serviceOf(name) ?? 'ec2';
    call.world.quotas?.admit(service, name);
    const isForeign =
      name === 'DeleteSnapshot' &&
      call.world.deletesOnlyTagged &&
      call.world.snapshots.get(String(call.body['SnapshotId']))?.tags['managed-by'] !== 'causeway';
    if (isForeign || call.world.denied.has(`${service}:${name}`)) {
      const message = `You are not authorized to perform this operation: ${service}:${name}`;
      throw service === 'ec2'
        ? new ApiError(403, message, { code: 'UnauthorizedOperation' })
        : new ApiError(403, message, {
            code: service === 'ebs' ? 'AccessDeniedException' : 'AccessDenied',
            ...(service === 'ebs' ? { members: { Reason: 'UNAUTHORIZED_ACCOUNT' } } : {}),
          });
    }
    if (call.body['DryRun'] === true)
      throw new ApiError(412, 'Request would have succeeded, but DryRun flag is set.', { code: 'DryRunOperation' });
    return operation(call);
  };
}

/** Requests and answers against the vendor's full models where the machine has them, or else against what the SDK carries of them. */
function description(): { readonly description: ApiDescription; readonly undescribed: readonly string[] } {
  const folder = process.env[modelsVariable];
  const read = (file: string): AwsModel => JSON.parse(readFileSync(join(folder ?? '', file), 'utf8')) as AwsModel;
  const models: Readonly<Record<ServiceName, AwsModel>> =
    folder === undefined || folder === ''
      ? sdkModels
      : {
          ec2: read('ec2-2016-11-15.subset.service-2.json'),
          ebs: read('ebs-2019-11-02.service-2.json'),
          sts: sdkModels.sts,
        };
  const of = (operation: string): ApiDescription => awsDescription(models[serviceOf(operation) ?? 'ec2']);
  return {
    description: {
      checkRequest: (request) => of(request.operation).checkRequest(request),
      checkAnswer: (answer) => of(answer.operation).checkAnswer(answer),
    },
    undescribed: folder === undefined || folder === '' ? [] : stsNames,
  };
}

/** Networks, images and instance types that every region of the lab has. */
function stock(world: World): void {
  world.subnets.set('subnet-0a1b2c3d4e5f60718', {
    id: 'subnet-0a1b2c3d4e5f60718',
    vpcId: 'vpc-0a1b2c3d4e5f60718',
    zone: `${region}a`,
    range: '10.1.0.0/24',
    tags: { Name: 'production' },
  });
  world.subnets.set('subnet-0918273645f5e4d3c', {
    id: 'subnet-0918273645f5e4d3c',
    vpcId: 'vpc-0a1b2c3d4e5f60718',
    zone: `${region}b`,
    range: '10.1.1.0/24',
    tags: {},
  });
  world.images.set('ami-0a1b2c3d4e5f60718', {
    id: 'ami-0a1b2c3d4e5f60718',
    name: 'debian-12-amd64',
    architecture: 'x86_64',
    machine: 'Debian 12',
    tags: {},
  });
  world.types.push(
    { name: 't2.medium', vcpus: 2, memoryMib: 4096, hypervisor: 'xen', architecture: 'x86_64' },
    { name: 't3.medium', vcpus: 2, memoryMib: 4096, hypervisor: 'nitro', architecture: 'x86_64' },
    { name: 'm5d.large', vcpus: 2, memoryMib: 8192, hypervisor: 'nitro', architecture: 'x86_64', instanceStore: 75 },
    { name: 't4g.medium', vcpus: 2, memoryMib: 4096, hypervisor: 'nitro', architecture: 'arm64' },
  );
}
