import type {
  DescribeInstancesCommandOutput,
  Filter,
  Image,
  Instance,
  InstanceTypeInfo,
  Snapshot,
  Subnet,
  Tag,
  Volume,
} from '@aws-sdk/client-ec2';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { allPages, type AwsCloud } from './aws-cloud.ts';
import { isAwsCode, wasThere } from './aws-error.ts';

/** Tags as labels. */
export type Labels = Readonly<Record<string, string>>;

export const labelsOf = (tags: readonly Tag[] | undefined): Labels =>
  Object.fromEntries(
    (tags ?? []).flatMap(({ Key: key, Value: value }) => (key === undefined ? [] : [[key, value ?? '']])),
  );
export const nameTag = (tags: readonly Tag[] | undefined): string | undefined => labelsOf(tags)['Name'] || undefined;
export const asTags = (labels: Labels): Tag[] => Object.entries(labels).map(([Key, Value]) => ({ Key, Value }));
export const tagFilters = (labels: Labels): Filter[] =>
  Object.entries(labels).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));

/** The most that a page of these listings has. */
const pageSize = 500;
/** Filters take so many values. */
const mostValues = 200;

const living = ['pending', 'running', 'stopping', 'stopped'];

/** Instances that are not terminated. */
export function listInstances(
  cloud: AwsCloud,
  filters: readonly Filter[],
  signal: AbortSignal,
): Promise<readonly Instance[]> {
  return allPages(async (token) => {
    const page: DescribeInstancesCommandOutput = await cloud.ask(
      'list VMs',
      'ec2:DescribeInstances',
      ({ sdk, ec2 }, options) =>
        ec2.send(
          new sdk.DescribeInstancesCommand({
            Filters: [{ Name: 'instance-state-name', Values: living }, ...filters],
            MaxResults: pageSize,
            ...next(token),
          }),
          options,
        ),
      signal,
    );
    return {
      items: (page.Reservations ?? []).flatMap((reservation) => reservation.Instances ?? []),
      next: page.NextToken,
    };
  });
}

/** Also one that is being terminated; undefined when the service does not know it. */
export async function findInstance(cloud: AwsCloud, id: string, signal: AbortSignal): Promise<Instance | undefined> {
  const page = await cloud.ask(
    `read VM ${id}`,
    'ec2:DescribeInstances',
    ({ sdk, ec2 }, options) =>
      ec2.send(
        new sdk.DescribeInstancesCommand({
          Filters: [{ Name: 'instance-id', Values: [id] }],
        }),
        options,
      ),
    signal,
  );
  return (page.Reservations ?? []).flatMap((reservation) => reservation.Instances ?? [])[0];
}

export function listVolumes(
  cloud: AwsCloud,
  filters: readonly Filter[],
  signal: AbortSignal,
): Promise<readonly Volume[]> {
  return allPages(async (token) => {
    const page = await cloud.ask(
      'list volumes',
      'ec2:DescribeVolumes',
      ({ sdk, ec2 }, options) =>
        ec2.send(
          new sdk.DescribeVolumesCommand({
            ...(filters.length === 0 ? {} : { Filters: [...filters] }),
            MaxResults: pageSize,
            ...next(token),
          }),
          options,
        ),
      signal,
    );
    return { items: page.Volumes ?? [], next: page.NextToken };
  });
}

/** The account's own snapshots. */
export function listSnapshots(
  cloud: AwsCloud,
  filters: readonly Filter[],
  signal: AbortSignal,
): Promise<readonly Snapshot[]> {
  return allPages(async (token) => {
    const page = await cloud.ask(
      'list snapshots',
      'ec2:DescribeSnapshots',
      ({ sdk, ec2 }, options) =>
        ec2.send(
          new sdk.DescribeSnapshotsCommand({
            OwnerIds: ['self'],
            ...(filters.length === 0 ? {} : { Filters: [...filters] }),
            MaxResults: pageSize,
            ...next(token),
          }),
          options,
        ),
      signal,
    );
    return { items: page.Snapshots ?? [], next: page.NextToken };
  });
}

/** A few of the account's own snapshots, whichever the service lists first. */
export async function someSnapshots(
  cloud: AwsCloud,
  filters: readonly Filter[],
  signal: AbortSignal,
): Promise<readonly Snapshot[]> {
  const page = await cloud.ask(
    'list snapshots',
    'ec2:DescribeSnapshots',
    ({ sdk, ec2 }, options) =>
      ec2.send(
        new sdk.DescribeSnapshotsCommand({
          OwnerIds: ['self'],
          ...(filters.length === 0 ? {} : { Filters: [...filters] }),
          MaxResults: 20,
        }),
        options,
      ),
    signal,
  );
  return page.Snapshots ?? [];
}

/** Those of the snapshots that exist. By a filter, because an id that is gone would refuse the whole request. */
export async function snapshotsById(
  cloud: AwsCloud,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly Snapshot[]> {
  const found: Snapshot[] = [];
  for (let at = 0; at < ids.length; at += mostValues) {
    found.push(
      ...(await listSnapshots(cloud, [{ Name: 'snapshot-id', Values: ids.slice(at, at + mostValues) }], signal)),
    );
  }
  return found;
}

/** @returns whether it was there. @throws `cloud.request-refused` where a machine image was made of it: waiting would not help */
export async function deleteSnapshot(cloud: AwsCloud, id: string, signal: AbortSignal): Promise<boolean> {
  const asked = cloud.ask(
    `delete snapshot ${id}`,
    'ec2:DeleteSnapshot',
    ({ sdk, ec2 }, options) => ec2.send(new sdk.DeleteSnapshotCommand({ SnapshotId: id }), options),
    signal,
  );
  return wasThere(asked).catch((error: unknown) => {
    if (error instanceof CausewayError && isAwsCode(error, 'InvalidSnapshot.InUse'))
      throw new CausewayError('cloud.request-refused', `${error.message}. Deregister the image that uses it`, {
        details: error.details,
      });
    throw error;
  });
}

/** What the service says of instance types, all of the region or only these. */
export function listInstanceTypes(
  cloud: AwsCloud,
  names: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<readonly InstanceTypeInfo[]> {
  return allPages(async (token) => {
    const page = await cloud.ask(
      'list instance types',
      'ec2:DescribeInstanceTypes',
      ({ sdk, ec2 }, options) =>
        ec2.send(
          new sdk.DescribeInstanceTypesCommand({
            ...(names === undefined ? {} : { Filters: [{ Name: 'instance-type', Values: [...names] }] }),
            MaxResults: 100,
            ...next(token),
          }),
          options,
        ),
      signal,
    );
    return { items: page.InstanceTypes ?? [], next: page.NextToken };
  });
}

export function listSubnets(
  cloud: AwsCloud,
  filters: readonly Filter[],
  signal: AbortSignal,
): Promise<readonly Subnet[]> {
  return allPages(async (token) => {
    const page = await cloud.ask(
      'list subnets',
      'ec2:DescribeSubnets',
      ({ sdk, ec2 }, options) =>
        ec2.send(
          new sdk.DescribeSubnetsCommand({
            ...(filters.length === 0 ? {} : { Filters: [...filters] }),
            MaxResults: pageSize,
            ...next(token),
          }),
          options,
        ),
      signal,
    );
    return { items: page.Subnets ?? [], next: page.NextToken };
  });
}

/** Machine images of the account itself, or these. */
export function listImages(
  cloud: AwsCloud,
  ids: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<readonly Image[]> {
  return allPages(async (token) => {
    const page = await cloud.ask(
      'list machine images',
      'ec2:DescribeImages',
      ({ sdk, ec2 }, options) =>
        ec2.send(
          new sdk.DescribeImagesCommand({
            ...(ids === undefined ? { Owners: ['self'] } : { Filters: [{ Name: 'image-id', Values: [...ids] }] }),
            MaxResults: pageSize,
            ...next(token),
          }),
          options,
        ),
      signal,
    );
    return { items: page.Images ?? [], next: page.NextToken };
  });
}

const next = (token: string | undefined): { NextToken?: string } => (token === undefined ? {} : { NextToken: token });
