import { randomUUID } from 'node:crypto';
import { gibibyte } from '../../cloud-kit/volume-files.ts';
import type { CreationData, DiskRecord, DiskType, SnapshotRecord } from '../records.ts';
import { diskCountOf, type World } from '../world.ts';
import {
  beginOperation,
  commonOperations,
  conflict,
  demand,
  groupOf,
  idOf,
  invalid,
  locationOf,
  objectField,
  propertiesOf,
  refuse,
  sameId,
  shortName,
  stringField,
  tagsOf,
  zonesOf,
  type Body,
  type Call,
  type Operation,
} from './call.ts';
import { demandLimits } from './skus.ts';

export const diskType = 'Microsoft.Compute/disks';
export const snapshotType = 'Microsoft.Compute/snapshots';
const compute = 'Microsoft.Compute';
const footerBytes = 512;

export const disks = commonOperations<DiskRecord>({ type: diskType, collection: (world) => world.disks });
export const snapshots = commonOperations<SnapshotRecord>({
  type: snapshotType,
  collection: (world) => world.snapshots,
});

const nameForm = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,78}[A-Za-z0-9_])?$/;

export function demandName(name: string, longest = 80): void {
  if (!nameForm.test(name) || name.length > longest)
    throw refuse(400, 'InvalidParameter', `The entity name '${name}' is invalid according to its validation rule.`);
}

/** What a new disk or snapshot gets its bytes from. */
interface Origin {
  readonly sizeBytes: number;
  readonly fileId?: string;
  /** An import reads a page blob. */
  readonly blobUri?: string;
  readonly osType?: string | undefined;
  readonly hyperVGeneration?: string | undefined;
}

function originOf(call: Call, creation: Body, sizeGib: number | undefined): Origin {
  const { world } = call;
  const option = stringField(creation, 'createOption');
  switch (option) {
    case 'Empty':
      if (sizeGib === undefined) throw invalid('diskSizeGB', 'it is needed for an empty disk');
      return { sizeBytes: sizeGib * gibibyte };
    case 'Copy':
    case 'CopyStart': {
      const source = stringField(creation, 'sourceResourceId').toLowerCase();
      const found = world.disks.get(source) ?? world.snapshots.get(source);
      if (found === undefined) throw refuse(404, 'ResourceNotFound', `The resource ${source} was not found.`);
      if (found.properties.provisioningState !== 'Succeeded')
        throw conflict('OperationNotAllowed', `${shortName(source)} is being created.`);
      if (['ReadyToUpload', 'ActiveUpload'].includes(found.properties.diskState))
        throw conflict('OperationNotAllowed', `${shortName(source)} waits for its upload.`);
      return {
        sizeBytes: found.properties.diskSizeBytes,
        fileId: found.properties.uniqueId,
        osType: found.properties.osType,
        hyperVGeneration: found.properties.hyperVGeneration,
      };
    }
    case 'Upload': {
      const bytes = creation['uploadSizeBytes'];
      if (typeof bytes !== 'number' || bytes % 512 !== 0 || bytes < 20 * 1024 * 1024 + footerBytes)
        throw invalid('uploadSizeBytes', 'must be a multiple of 512 with the footer of a VHD');
      return { sizeBytes: bytes - footerBytes };
    }
    case 'Import': {
      const blobUri = stringField(creation, 'sourceUri');
      const account = stringField(creation, 'storageAccountId').toLowerCase();
      if (world.storageAccounts.get(account) === undefined)
        throw refuse(400, 'InvalidParameter', `The storage account ${account} was not found.`);
      return { sizeBytes: world.blobs.sizeOf(blobUri) - footerBytes, blobUri };
    }
    default:
      throw invalid('creationData.createOption', `'${option}' is not supported here`);
  }
}

function typeOf(call: Call, properties: Body, zones: readonly string[]): DiskType {
  const sku =
    call.body['sku'] === undefined ? 'Standard_LRS' : stringField(objectField(call.body['sku'], 'sku'), 'name');
  const type = call.world.setup.diskTypes.find(({ name }) => name === sku);
  if (type === undefined)
    throw refuse(400, 'InvalidParameter', `The value '${sku}' of parameter 'sku.name' is not allowed.`);
  if (type.name.endsWith('_ZRS') && zones.length > 0)
    throw refuse(400, 'InvalidParameter', `A disk of type ${sku} cannot be in a zone.`);
  if (['UltraSSD_LRS', 'PremiumV2_LRS'].includes(sku)) {
    if (zones.length === 0 && type.zones.length > 0)
      throw refuse(400, 'InvalidParameter', `Disks of type ${sku} need a zone in this region.`);
    if (properties['osType'] !== undefined || properties['hyperVGeneration'] !== undefined)
      throw refuse(400, 'InvalidParameter', `${sku} cannot be used for OS disks.`);
  }
  const outside = zones.find((zone) => type.zones.length > 0 && !type.zones.includes(zone));
  if (outside !== undefined)
    throw conflict('SkuNotAvailable', `Disks of type ${sku} are not available in zone ${outside}.`);
  return type;
}

function sizeField(properties: Body): number | undefined {
  const size = properties['diskSizeGB'];
  if (size === undefined) return undefined;
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 1)
    throw invalid('diskSizeGB', 'must be a whole number, at least 1');
  return size;
}

const secureOptions: readonly unknown[] = ['FromImage', 'Import', 'ImportSecure', 'UploadPreparedSecure'];

/** A security type cannot be given to what is created empty or as a copy; a copy has the one of its source. */
function demandSecurity(properties: Body, creation: Body): void {
  if (properties['securityProfile'] === undefined) return;
  const type = String(objectField(properties['securityProfile'], 'securityProfile')['securityType']);
  const option = creation['createOption'];
  if (!secureOptions.includes(option))
    throw refuse(
      400,
      'BadRequest',
      `Security Type '${type}' is not supported for CreateOption '${String(option)}'. Supported create options are ${secureOptions.join(', ')}.`,
    );
}

export const putDisk: Operation = (call) => {
  const { world } = call;
  const id = idOf(call, diskType);
  const key = id.toLowerCase();
  demandName(call.params['name'] ?? '');
  const location = locationOf(call);
  const properties = propertiesOf(call);
  const existing = world.disks.get(key);
  if (existing !== undefined) return updateExisting(call, existing);
  const zoned = zonesOf(call);
  if ((zoned.zones?.length ?? 0) > 1) throw invalid('zones', 'a disk is in one zone');
  const wanted = sizeField(properties);
  const creation = objectField(properties['creationData'], 'creationData');
  demandSecurity(properties, creation);
  const origin = originOf(call, creation, wanted);
  const type = typeOf(call, properties, zoned.zones ?? []);
  const sizeGib = Math.max(wanted ?? 0, Math.ceil(origin.sizeBytes / gibibyte));
  if (wanted !== undefined && wanted * gibibyte < origin.sizeBytes)
    throw invalid('diskSizeGB', 'it is smaller than the source');
  if (sizeGib > type.largestGib)
    throw refuse(400, 'InvalidParameter', `The size ${sizeGib} of the disk exceeds the maximum of ${type.largestGib}.`);
  demandLimits(world, { [diskCountOf(type.name)]: 1 });
  const uniqueId = randomUUID();
  const isUpload = creation['createOption'] === 'Upload';
  const osType = properties['osType'] ?? origin.osType;
  const generation = properties['hyperVGeneration'] ?? origin.hyperVGeneration;
  const disk: DiskRecord = {
    id,
    name: call.params['name'] ?? '',
    type: diskType,
    location,
    ...tagsOf(call),
    ...zoned,
    sku: { name: type.name, tier: type.name.split('_')[0] ?? '' },
    properties: {
      uniqueId,
      timeCreated: new Date(world.ground.clock.now()).toISOString(),
      creationData: creation as unknown as CreationData,
      ...(typeof osType === 'string' ? { osType } : {}),
      ...(typeof generation === 'string' ? { hyperVGeneration: generation } : {}),
      ...(properties['securityProfile'] === undefined
        ? {}
        : { securityProfile: objectField(properties['securityProfile'], 'securityProfile') }),
      ...(properties['supportedCapabilities'] === undefined
        ? {}
        : { supportedCapabilities: objectField(properties['supportedCapabilities'], 'supportedCapabilities') }),
      diskSizeGB: isUpload ? Math.ceil(origin.sizeBytes / gibibyte) : sizeGib,
      diskSizeBytes: isUpload ? origin.sizeBytes : sizeGib * gibibyte,
      diskState: 'Unattached',
      encryption: { type: 'EncryptionAtRestWithPlatformKey' },
      networkAccessPolicy: 'AllowAll',
      provisioningState: 'Creating',
    },
  };
  world.disks.set(key, disk);
  return beginOperation(
    call,
    compute,
    {
      work: async () => {
        if (origin.fileId !== undefined) await world.ground.files.copy(origin.fileId, uniqueId);
        else await world.ground.files.createBlank(uniqueId, disk.properties.diskSizeBytes);
        if (origin.blobUri !== undefined)
          await world.blobs.copyOut(origin.blobUri, world.ground.files.path(uniqueId), origin.sizeBytes);
        await world.ground.files.grow(uniqueId, disk.properties.diskSizeBytes);
      },
      succeed: () =>
        Object.assign(disk.properties, {
          provisioningState: 'Succeeded',
          diskState: isUpload ? 'ReadyToUpload' : 'Unattached',
        }),
      fail: () => {
        disk.properties.provisioningState = 'Failed';
      },
    },
    { status: 202, body: shownOf(disk), result: () => disk },
  );
};

/** A copy, so that an answer shows the moment that it is of. */
const shownOf = <R extends { readonly properties: object }>(record: R): R => ({
  ...record,
  properties: { ...record.properties },
});

function updateExisting(call: Call, disk: DiskRecord): ReturnType<Operation> {
  // A PUT of what is there changes what may be changed; the rest has to be the same.
  const properties = propertiesOf(call);
  const creation = objectField(properties['creationData'], 'creationData');
  const before = disk.properties.creationData;
  if (
    creation['createOption'] !== before.createOption ||
    (creation['sourceResourceId'] !== undefined &&
      !sameId(String(creation['sourceResourceId']), before.sourceResourceId))
  ) {
    throw conflict('PropertyChangeNotAllowed', 'Changing property creationData is not allowed.');
  }
  return change(call, disk, 202);
}

function change(call: Call, disk: DiskRecord, status: number): ReturnType<Operation> {
  const { world } = call;
  const size = sizeField(propertiesOf(call));
  if (disk.properties.provisioningState === 'Deleting')
    throw conflict('OperationNotAllowed', `The disk ${disk.name} is being deleted.`);
  if (size !== undefined && size < disk.properties.diskSizeGB)
    throw conflict('OperationNotAllowed', 'Shrinking of a disk is not supported.');
  Object.assign(disk, tagsOf(call));
  if (size === undefined || size === disk.properties.diskSizeGB) return { status: 200, body: shownOf(disk) };
  if (['ReadyToUpload', 'ActiveUpload'].includes(disk.properties.diskState))
    throw conflict('OperationNotAllowed', `Cannot resize disk ${disk.name} while it waits for its upload.`);
  if (disk.managedBy !== undefined)
    throw conflict(
      'OperationNotAllowed',
      `Cannot resize disk ${disk.name} while it is attached to running VM ${disk.managedBy}.`,
    );
  disk.properties.provisioningState = 'Updating';
  return beginOperation(
    call,
    compute,
    {
      work: () => world.ground.files.grow(disk.properties.uniqueId, size * gibibyte),
      succeed: () =>
        Object.assign(disk.properties, {
          diskSizeGB: size,
          diskSizeBytes: size * gibibyte,
          provisioningState: 'Succeeded',
        }),
      fail: () => {
        disk.properties.provisioningState = 'Failed';
      },
    },
    { status, body: shownOf(disk), result: () => disk },
  );
}

export const patchDisk: Operation = (call) => change(call, demand(call.world.disks, idOf(call, diskType)), 202);

export const deleteDisk: Operation = (call) => {
  const { world } = call;
  const id = idOf(call, diskType);
  const disk = world.disks.get(id.toLowerCase());
  if (disk === undefined) return { status: 204 };
  if (disk.managedBy !== undefined)
    throw conflict('OperationNotAllowed', `Disk ${disk.name} is attached to VM ${disk.managedBy}.`);
  if (world.access.hasAccess(disk.properties.uniqueId))
    throw conflict(
      'OperationNotAllowed',
      `There is an active shared access signature outstanding for disk ${disk.name}. Call EndGetAccess before deleting it.`,
    );
  if (disk.properties.provisioningState === 'Creating')
    throw conflict('OperationNotAllowed', `Disk ${disk.name} is being created.`);
  disk.properties.provisioningState = 'Deleting';
  return beginOperation(
    call,
    compute,
    {
      work: () => world.ground.files.remove(disk.properties.uniqueId),
      succeed: () => void world.disks.delete(id.toLowerCase()),
      fail: () => {
        disk.properties.provisioningState = 'Failed';
      },
    },
    { status: 202 },
  );
};

export const putSnapshot: Operation = (call) => {
  const { world } = call;
  const id = idOf(call, snapshotType);
  const key = id.toLowerCase();
  demandName(call.params['name'] ?? '');
  const location = locationOf(call);
  const properties = propertiesOf(call);
  const creation = objectField(properties['creationData'], 'creationData');
  const existing = world.snapshots.get(key);
  if (existing !== undefined) {
    if (!sameId(String(creation['sourceResourceId']), existing.properties.creationData.sourceResourceId))
      throw conflict('PropertyChangeNotAllowed', 'Changing property creationData is not allowed.');
    Object.assign(existing, tagsOf(call));
    return { status: 200, body: shownOf(existing) };
  }
  const origin = originOf(call, creation, undefined);
  const source = world.disks.get(String(creation['sourceResourceId']).toLowerCase());
  const uniqueId = randomUUID();
  const sku =
    call.body['sku'] === undefined ? 'Standard_LRS' : stringField(objectField(call.body['sku'], 'sku'), 'name');
  if (!['Standard_LRS', 'Premium_LRS', 'Standard_ZRS'].includes(sku))
    throw refuse(400, 'InvalidParameter', `The value '${sku}' of parameter 'sku.name' is not allowed for snapshots.`);
  const incremental = properties['incremental'] === true;
  if (!incremental && ['UltraSSD_LRS', 'PremiumV2_LRS'].includes(source?.sku?.name ?? ''))
    throw refuse(400, 'OperationNotAllowed', 'Snapshots of this type of disk are incremental only.');
  const snapshot: SnapshotRecord = {
    id,
    name: call.params['name'] ?? '',
    type: snapshotType,
    location,
    ...tagsOf(call),
    sku: { name: sku, tier: sku.split('_')[0] ?? '' },
    properties: {
      uniqueId,
      timeCreated: new Date(world.ground.clock.now()).toISOString(),
      creationData: creation as unknown as CreationData,
      ...(origin.osType === undefined ? {} : { osType: origin.osType }),
      ...(origin.hyperVGeneration === undefined ? {} : { hyperVGeneration: origin.hyperVGeneration }),
      diskSizeGB: Math.ceil(origin.sizeBytes / gibibyte),
      diskSizeBytes: origin.sizeBytes,
      diskState: 'Unattached',
      incremental,
      ...(incremental ? { incrementalSnapshotFamilyId: source?.properties.uniqueId ?? origin.fileId ?? uniqueId } : {}),
      encryption: { type: 'EncryptionAtRestWithPlatformKey' },
      networkAccessPolicy: 'AllowAll',
      completionPercent: 0,
      provisioningState: 'Creating',
    },
  };
  world.snapshots.set(key, snapshot);
  // The moment of a snapshot is that of its request, whatever is written while it is being made.
  const copied =
    call.fault?.effect === 'hang' ? Promise.resolve() : world.ground.files.copy(origin.fileId ?? '', uniqueId);
  copied.catch(() => undefined);
  return beginOperation(
    call,
    compute,
    {
      work: () => copied,
      succeed: () => Object.assign(snapshot.properties, { provisioningState: 'Succeeded', completionPercent: 100 }),
      fail: () => {
        snapshot.properties.provisioningState = 'Failed';
      },
    },
    { status: 202, body: shownOf(snapshot), result: () => snapshot },
  );
};

export const deleteSnapshot: Operation = (call) => {
  const { world } = call;
  const id = idOf(call, snapshotType);
  const snapshot = world.snapshots.get(id.toLowerCase());
  if (snapshot === undefined) return { status: 204 };
  if (world.access.hasAccess(snapshot.properties.uniqueId))
    throw conflict(
      'OperationNotAllowed',
      `There is an active shared access signature outstanding for snapshot ${snapshot.name}. Call EndGetAccess before deleting it.`,
    );
  if (snapshot.properties.provisioningState === 'Creating')
    throw conflict('OperationNotAllowed', `Snapshot ${snapshot.name} is being created.`);
  snapshot.properties.provisioningState = 'Deleting';
  return beginOperation(
    call,
    compute,
    {
      work: () => world.ground.files.remove(snapshot.properties.uniqueId),
      succeed: () => void world.snapshots.delete(id.toLowerCase()),
      fail: () => {
        snapshot.properties.provisioningState = 'Failed';
      },
    },
    { status: 202 },
  );
};

/** `beginGetAccess` of a disk or snapshot. */
export const beginAccess =
  (type: typeof diskType | typeof snapshotType): Operation =>
  (call) => {
    const { world } = call;
    const record =
      type === diskType ? demand(world.disks, idOf(call, type)) : demand(world.snapshots, idOf(call, type));
    const { properties } = record;
    const access = stringField(call.body, 'access');
    const seconds = call.body['durationInSeconds'];
    if (access !== 'Read' && access !== 'Write') throw invalid('access', 'must be Read or Write');
    if (typeof seconds !== 'number' || seconds < 1 || seconds > 5_184_000)
      throw invalid('durationInSeconds', 'is out of range');
    if (properties.provisioningState !== 'Succeeded')
      throw conflict('OperationNotAllowed', `${record.name} is in state ${properties.provisioningState}.`);
    if (
      'managedBy' in record &&
      record.managedBy !== undefined &&
      world.inner.get(record.managedBy.toLowerCase())?.power !== 'deallocated'
    ) {
      throw conflict(
        'OperationNotAllowed',
        `Cannot grant access to disk ${record.name}: it is attached to a running VM.`,
      );
    }
    if (access === 'Write' && !['ReadyToUpload', 'ActiveUpload'].includes(properties.diskState))
      throw conflict(
        'OperationNotAllowed',
        `Write access is for disks that wait for their upload; ${record.name} is ${properties.diskState}.`,
      );
    const family = 'incrementalSnapshotFamilyId' in properties ? properties.incrementalSnapshotFamilyId : undefined;
    const url = world.access.grant({
      fileId: properties.uniqueId,
      access,
      seconds,
      ...(family === undefined ? {} : { family }),
    });
    if (access === 'Write') properties.diskState = 'ActiveUpload';
    else if (properties.diskState === 'Unattached') properties.diskState = 'ActiveSAS';
    const result = { accessSAS: url };
    return beginOperation(
      call,
      compute,
      { succeed: () => undefined, fail: () => world.access.revoke(properties.uniqueId) },
      { status: 202, result: () => result },
    );
  };

export const endAccess =
  (type: typeof diskType | typeof snapshotType): Operation =>
  (call) => {
    const { world } = call;
    const { properties } =
      type === diskType ? demand(world.disks, idOf(call, type)) : demand(world.snapshots, idOf(call, type));
    return beginOperation(
      call,
      compute,
      {
        succeed: () => {
          world.access.revoke(properties.uniqueId);
          if (['ActiveSAS', 'ActiveUpload'].includes(properties.diskState)) properties.diskState = 'Unattached';
        },
        fail: () => undefined,
      },
      { status: 202 },
    );
  };

/** A disk that a VM makes for itself from an image. */
export function makeOsDisk(
  call: Call,
  world: World,
  wish: {
    readonly name: string;
    readonly sizeGib: number;
    readonly type: string;
    readonly generation: string;
    readonly osType: string;
    readonly zones: readonly string[];
  },
): DiskRecord {
  const id = world.idOf(groupOf(call), diskType, wish.name);
  if (world.disks.get(id.toLowerCase()) !== undefined)
    throw conflict('ConflictingUserInput', `Disk ${wish.name} already exists in resource group.`);
  const disk: DiskRecord = {
    id,
    name: wish.name,
    type: diskType,
    location: world.setup.location,
    sku: { name: wish.type, tier: wish.type.split('_')[0] ?? '' },
    ...(wish.zones.length === 0 ? {} : { zones: wish.zones }),
    properties: {
      uniqueId: randomUUID(),
      timeCreated: new Date(world.ground.clock.now()).toISOString(),
      creationData: { createOption: 'FromImage' },
      osType: wish.osType,
      hyperVGeneration: wish.generation,
      diskSizeGB: wish.sizeGib,
      diskSizeBytes: wish.sizeGib * gibibyte,
      diskState: 'Attached',
      encryption: { type: 'EncryptionAtRestWithPlatformKey' },
      provisioningState: 'Succeeded',
    },
  };
  world.disks.set(id.toLowerCase(), disk);
  return disk;
}
