import { z } from 'zod';
import type { Labels } from '../../../cloud-resources/labels.ts';
import { tagsSchema } from './block-storage.ts';
import type { ServiceApi } from './service-api.ts';

const imageSchema = z.looseObject({
  id: z.string(),
  displayName: z.string().nullish(),
  lifecycleState: z.string(),
  operatingSystem: z.string(),
  operatingSystemVersion: z.string().nullish(),
  sizeInMBs: z.number().nullish(),
  launchMode: z.string().nullish(),
  timeCreated: z.string().nullish(),
  freeformTags: tagsSchema,
});
const schemaSchema = z.looseObject({ id: z.string(), imageId: z.string().nullish() });
const globalSchema = z.looseObject({ id: z.string(), currentVersionName: z.string() });

export type OciImage = z.infer<typeof imageSchema>;

export interface Images {
  list(compartmentId: string, signal: AbortSignal): Promise<readonly OciImage[]>;
  get(id: string, signal: AbortSignal): Promise<OciImage | undefined>;
  /** Imports an object as an image. */
  importObject(
    image: {
      readonly compartmentId: string;
      readonly displayName: string;
      readonly launchMode: 'EMULATED' | 'PARAVIRTUALIZED';
      readonly freeformTags: Labels;
      readonly at: ObjectPlace;
    },
    signal: AbortSignal,
  ): Promise<{ readonly resource: OciImage; readonly workRequestId: string | undefined }>;
  /** Adds tags. */
  tag(id: string, freeformTags: Labels, signal: AbortSignal): Promise<OciImage>;
  delete(id: string, signal: AbortSignal): Promise<void>;
  /** Lets instances of an image start with either firmware, with this one unless they say; without it an imported image starts with BIOS alone. */
  allowFirmware(imageId: string, compartmentId: string, usual: 'BIOS' | 'UEFI_64', signal: AbortSignal): Promise<void>;
}

export interface ObjectPlace {
  readonly namespaceName: string;
  readonly bucketName: string;
  readonly objectName: string;
}

const base = '/20160918';

export function imagesOf(api: ServiceApi): Images {
  const one = (id: string): string => `${base}/images/${encodeURIComponent(id)}`;
  return {
    list: async (compartmentId, signal) =>
      (await api.list(imageSchema, 'list images', `${base}/images`, { compartmentId }, signal)).filter(
        ({ lifecycleState }) => lifecycleState !== 'DELETED',
      ),
    async get(id, signal) {
      const found = await api.find(
        imageSchema,
        { operation: `read image ${id}`, method: 'GET', path: one(id) },
        signal,
      );
      return found === undefined || found.lifecycleState === 'DELETED' ? undefined : found;
    },
    importObject: ({ at, ...image }, signal) =>
      api.createFollowed(
        imageSchema,
        `import image ${image.displayName}`,
        `${base}/images`,
        {
          ...image,
          imageSourceDetails: {
            sourceType: 'objectStorageTuple',
            ...at,
            sourceImageType: 'QCOW2',
            operatingSystem: 'Custom',
            operatingSystemVersion: '1',
          },
        },
        signal,
      ),
    tag: (id, freeformTags, signal) =>
      api.update(
        imageSchema,
        `tag image ${id}`,
        one(id),
        (now) => ({ freeformTags: { ...now.freeformTags, ...freeformTags } }),
        signal,
      ),
    delete: (id, signal) => api.remove({ operation: `delete image ${id}`, path: one(id) }, signal),
    async allowFirmware(imageId, compartmentId, usual, signal) {
      const path = `${base}/computeImageCapabilitySchemas`;
      const there = await api.list(
        schemaSchema,
        `list capabilities of image ${imageId}`,
        path,
        { compartmentId, imageId },
        signal,
      );
      if (there.length > 0) return;
      const [global] = await api.list(
        globalSchema,
        'list capabilities of images',
        `${base}/computeGlobalImageCapabilitySchemas`,
        {},
        signal,
      );
      await api.create(
        schemaSchema,
        `set the capabilities of image ${imageId}`,
        path,
        {
          compartmentId,
          imageId,
          computeGlobalImageCapabilitySchemaVersionName: global?.currentVersionName ?? '',
          schemaData: {
            'Compute.Firmware': {
              descriptorType: 'enumstring',
              source: 'IMAGE',
              values: ['BIOS', 'UEFI_64'],
              defaultValue: usual,
            },
          },
        },
        signal,
      );
    },
  };
}

/** Object storage, as far as an image to import has to lie in it. */
export interface Objects {
  /** The name under which the tenancy's buckets are. */
  namespace(signal: AbortSignal): Promise<string>;
  /** With their tags. */
  buckets(
    namespace: string,
    compartmentId: string,
    signal: AbortSignal,
  ): Promise<readonly { readonly id: string; readonly freeformTags: Readonly<Record<string, string>> }[]>;
  findBucket(namespace: string, name: string, signal: AbortSignal): Promise<{ readonly id: string } | undefined>;
  createBucket(
    bucket: {
      readonly namespace: string;
      readonly name: string;
      readonly compartmentId: string;
      readonly freeformTags: Labels;
    },
    signal: AbortSignal,
  ): Promise<{ readonly id: string }>;
  put(at: ObjectPlace, data: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Removes a bucket with what is in it. */
  deleteBucket(namespace: string, name: string, signal: AbortSignal): Promise<void>;
}

const listedBucket = z.looseObject({ name: z.string(), freeformTags: z.record(z.string(), z.string()).nullish() });
const objectList = z.looseObject({ objects: z.array(z.looseObject({ name: z.string() })) });

export function objectsOf(api: ServiceApi): Objects {
  const bucket = (namespace: string, name: string): string =>
    `/n/${encodeURIComponent(namespace)}/b/${encodeURIComponent(name)}`;
  const object = ({ namespaceName, bucketName, objectName }: ObjectPlace): string =>
    `${bucket(namespaceName, bucketName)}/o/${encodeURIComponent(objectName)}`;
  const bucketSchema = z.looseObject({ name: z.string() });
  return {
    namespace: (signal) =>
      api.read(
        z.string().min(1),
        { operation: 'read the object storage namespace', method: 'GET', path: '/n/' },
        signal,
      ),
    async buckets(namespace, compartmentId, signal) {
      // Without this field the list has no tags.
      const found = await api.list(
        listedBucket,
        'list buckets',
        `/n/${encodeURIComponent(namespace)}/b/`,
        { compartmentId, fields: 'tags' },
        signal,
      );
      return found.map(({ name, freeformTags }) => ({ id: name, freeformTags: freeformTags ?? {} }));
    },
    async findBucket(namespace, name, signal) {
      const found = await api.find(
        bucketSchema,
        { operation: `read bucket ${name}`, method: 'GET', path: bucket(namespace, name) },
        signal,
      );
      return found === undefined ? undefined : { id: found.name };
    },
    async createBucket({ namespace, ...details }, signal) {
      const request = {
        operation: `create bucket ${details.name}`,
        method: 'POST' as const,
        path: `/n/${encodeURIComponent(namespace)}/b/`,
        json: details,
      };
      return { id: (await api.read(bucketSchema, request, signal)).name };
    },
    async put(at, data, signal) {
      await api.send(
        {
          operation: `upload object ${at.objectName}`,
          method: 'PUT',
          path: object(at),
          data,
          headers: { 'content-type': 'application/octet-stream' },
        },
        signal,
      );
    },
    async deleteBucket(namespace, name, signal) {
      const inside = await api.find(
        objectList,
        { operation: `list bucket ${name}`, method: 'GET', path: `${bucket(namespace, name)}/o` },
        signal,
      );
      for (const each of inside?.objects ?? []) {
        await api.remove(
          {
            operation: `delete object ${each.name}`,
            path: object({ namespaceName: namespace, bucketName: name, objectName: each.name }),
          },
          signal,
        );
      }
      await api.remove({ operation: `delete bucket ${name}`, path: bucket(namespace, name) }, signal);
    },
  };
}
