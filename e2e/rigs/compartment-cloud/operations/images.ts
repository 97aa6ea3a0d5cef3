import { noContent, ok, type ApiError } from '../../cloud-kit/call.ts';
import type { ConsoleHistoryRecord, ImageRecord } from '../records.ts';
import {
  compartmentOf,
  creation,
  demand,
  incorrectState,
  invalid,
  isGone,
  listReply,
  notFound,
  refuse,
  tagsOf,
  text,
} from '../world.ts';
import type { Operation } from '../world.ts';

/** Images of the platform are in the list of every compartment. */
export const listImages: Operation = (call) => {
  demand(call.world.compartments, call.query.get('compartmentId') ?? undefined);
  const wanted = call.query.get('compartmentId');
  return listReply(
    call,
    call.world.images.listed().filter((image) => image.compartmentId === wanted || image.operatingSystem !== 'Custom'),
    ['displayName', 'operatingSystem', 'lifecycleState'],
    (one) => ({ ...one }),
  );
};
export const getImage: Operation = ({ world, params }) => ok({ ...demand(world.images, params['imageId']) });

export const createImage: Operation = creation((call) => {
  const { world, body } = call;
  const compartmentId = compartmentOf(call);
  const source = body['imageSourceDetails'] as Readonly<Record<string, unknown>> | undefined;
  if (source?.['sourceType'] !== 'objectStorageTuple')
    throw invalid('imageSourceDetails: only objects are imported here');
  const bucket = world.buckets.get(text(source, 'bucketName'));
  const object = bucket?.objects.get(text(source, 'objectName'));
  if (object === undefined) throw notFound('object');
  const launchMode = String(body['launchMode'] ?? 'PARAVIRTUALIZED');
  const image: ImageRecord = {
    id: world.newId('image'),
    compartmentId,
    displayName: String(body['displayName'] ?? 'image'),
    timeCreated: world.now(),
    lifecycleState: 'IMPORTING',
    freeformTags: tagsOf(body),
    launchMode,
    operatingSystem: String(source['operatingSystem'] ?? 'Custom'),
    operatingSystemVersion: String(source['operatingSystemVersion'] ?? '1'),
    createImageAllowed: true,
    launchOptions:
      launchMode === 'EMULATED'
        ? { bootVolumeType: 'SCSI', firmware: 'BIOS', networkType: 'E1000', remoteDataVolumeType: 'SCSI' }
        : {
            bootVolumeType: 'PARAVIRTUALIZED',
            firmware: 'BIOS',
            networkType: 'PARAVIRTUALIZED',
            remoteDataVolumeType: 'PARAVIRTUALIZED',
          },
  };
  world.images.set(image.id, image);
  const work = world.openWork(call.requestId, { operationType: 'CreateImage', compartmentId, resourceId: image.id });
  world.transition({
    fault: call.fault,
    operation: work,
    work: async () => {
      demandZeros(object);
    },
    succeed: () =>
      Object.assign(image, { lifecycleState: 'AVAILABLE', sizeInMBs: Number(object.readBigUInt64BE(24)) / 2 ** 20 }),
    // The import's failure takes the image away.
    fail: () => {
      image.lifecycleState = 'DELETED';
    },
  });
  return { status: 200, body: { ...image }, headers: { 'opc-work-request-id': work.id } };
});

/** Takes a QCOW2 image apart: it has to be one, and to hold nothing but zeros, which is all that can be imported here. */
function demandZeros(object: Buffer): void {
  if (object.length < 104 || object.readUInt32BE(0) !== 0x514649fb) throw new Error('the object is not a QCOW2 image');
  const [clusterBits, size, entries, tableAt] = [
    object.readUInt32BE(20),
    Number(object.readBigUInt64BE(24)),
    object.readUInt32BE(36),
    Number(object.readBigUInt64BE(40)),
  ];
  if (entries < Math.ceil(size / 2 ** (2 * clusterBits - 3)) || tableAt + entries * 8 > object.length)
    throw new Error('the image is cut off');
  if (object.subarray(tableAt, tableAt + entries * 8).some((byte) => byte !== 0)) throw new Error('the image has data');
}

export const updateImage: Operation = ({ world, params, body }) => {
  const image = demand(world.images, params['imageId']);
  if (isGone(image)) throw incorrectState('The image is deleted');
  if (body['freeformTags'] !== undefined) image.freeformTags = tagsOf(body);
  if (body['displayName'] !== undefined) image.displayName = text(body, 'displayName');
  return ok({ ...image });
};

export const deleteImage: Operation = ({ world, params }) => {
  const image = demand(world.images, params['imageId']);
  if (isGone(image)) throw incorrectState('The image is deleted');
  if (image.operatingSystem !== 'Custom') throw notFound('image');
  image.lifecycleState = 'DELETED';
  return noContent();
};

export const listGlobalSchemas: Operation = () =>
  ok([
    {
      id: 'ocid1.computeglobalimgcapschema.oc1..lab',
      name: 'GLOBAL',
      displayName: 'GLOBAL',
      currentVersionName: 'lab-1',
      timeCreated: '2026-01-01T00:00:00Z',
    },
  ]);
export const listSchemas: Operation = (call) =>
  listReply(call, call.world.schemas.listed(), ['compartmentId', 'imageId']);
export const createSchema: Operation = creation((call) => {
  const { world, body } = call;
  const image = demand(world.images, body['imageId']);
  if ([...world.schemas.values()].some(({ imageId }) => imageId === image.id))
    throw refuse(409, 'Conflict', 'The image has capabilities already');
  const schema = {
    id: world.newId('computeimgcapschema'),
    compartmentId: compartmentOf(call),
    imageId: image.id,
    displayName: 'capabilities',
    computeGlobalImageCapabilitySchemaVersionName: text(body, 'computeGlobalImageCapabilitySchemaVersionName'),
    schemaData: (body['schemaData'] ?? {}) as Readonly<
      Record<string, { readonly values?: readonly string[]; readonly defaultValue?: string }>
    >,
  };
  world.schemas.set(schema.id, schema);
  const firmware = schema.schemaData['Compute.Firmware']?.defaultValue;
  if (firmware !== undefined) image.launchOptions = { ...image.launchOptions, firmware };
  return ok(schema);
});

const noBucket = (name: string): ApiError =>
  refuse(
    404,
    'BucketNotFound',
    `Either the bucket named '${name}' does not exist or you are not authorized to access it`,
  );

export const getNamespace: Operation = ({ world }) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(world.setup.namespace),
});
export const getBucket: Operation = ({ world, params }) => {
  const { objects: _, ...bucket } = world.buckets.demand(params['bucketName'], () =>
    noBucket(params['bucketName'] ?? ''),
  );
  return ok(bucket);
};
/** Tags are shown to who asks for that field. */
export const listBuckets: Operation = (call) =>
  listReply(call, [...call.world.buckets.values()], ['compartmentId'], ({ objects: _, freeformTags, ...bucket }) => ({
    ...bucket,
    ...(call.query.get('fields') === 'tags' ? { freeformTags } : {}),
  }));
export const createBucket: Operation = (call) => {
  const { world, body } = call;
  const name = text(body, 'name');
  if (world.buckets.has(name))
    throw refuse(
      409,
      'BucketAlreadyExists',
      `Either the bucket '${name}' in namespace '${world.setup.namespace}' already exists or you are not authorized to create it`,
    );
  world.buckets.set(name, {
    name,
    namespace: world.setup.namespace,
    compartmentId: compartmentOf(call),
    freeformTags: tagsOf(body),
    objects: new Map(),
  });
  return ok({ name, namespace: world.setup.namespace });
};
export const deleteBucket: Operation = ({ world, params }) => {
  const bucket = world.buckets.demand(params['bucketName'], () => noBucket(params['bucketName'] ?? ''));
  if (bucket.objects.size > 0) throw refuse(409, 'BucketNotEmpty', `Bucket named '${bucket.name}' is not empty`);
  world.buckets.delete(bucket.name);
  return noContent();
};
export const listObjects: Operation = ({ world, params }) =>
  ok({
    objects: [
      ...world.buckets.demand(params['bucketName'], () => noBucket(params['bucketName'] ?? '')).objects.keys(),
    ].map((name) => ({ name })),
  });
export const putObject: Operation = ({ world, params, raw }) => {
  world.buckets
    .demand(params['bucketName'], () => noBucket(params['bucketName'] ?? ''))
    .objects.set(params['objectName'] ?? '', raw);
  return { status: 200 };
};
export const deleteObject: Operation = ({ world, params }) => {
  if (world.buckets.get(params['bucketName'] ?? '')?.objects.delete(params['objectName'] ?? '') !== true)
    throw refuse(404, 'ObjectNotFound', 'The object was not found');
  return noContent();
};

export const captureHistory: Operation = creation((call) => {
  const { world, body } = call;
  const instance = demand(world.instances, body['instanceId']);
  const history: ConsoleHistoryRecord = {
    id: world.newId('consolehistory'),
    instanceId: instance.id,
    compartmentId: instance.compartmentId,
    availabilityDomain: instance.availabilityDomain,
    timeCreated: world.now(),
    lifecycleState: 'GETTING-HISTORY',
    text: '',
  };
  world.histories.set(history.id, history);
  world.transition({
    fault: call.fault,
    work: async () => {
      history.text = await world.ground.machines.log(instance.id);
    },
    succeed: () => {
      history.lifecycleState = 'SUCCEEDED';
    },
    fail: () => {
      history.lifecycleState = 'FAILED';
    },
  });
  return ok({ ...history });
});
export const getHistory: Operation = ({ world, params }) => {
  const { text: _, ...history } = demand(world.histories, params['instanceConsoleHistoryId']);
  return ok(history);
};
export const getHistoryText: Operation = ({ world, params }) => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body: demand(world.histories, params['instanceConsoleHistoryId']).text,
});
export const deleteHistory: Operation = ({ world, params }) => {
  world.histories.delete(demand(world.histories, params['instanceConsoleHistoryId']).id);
  return noContent();
};
