import { noContent, ok } from '../../cloud-kit/call.ts';
import type { VolumeAttachmentRecord } from '../records.ts';
import { creation, demand, incorrectState, invalid, isGone, listReply, refuse, text } from '../world.ts';
import type { Operation } from '../world.ts';
import { dataVolume, groupsFor, makeAttachment, makeVnic, subnetFor } from './instances.ts';
import { attachmentsOf } from './volumes.ts';

export const listAttachments: Operation = (call) =>
  listReply(
    call,
    call.world.attachments.listed(),
    ['compartmentId', 'availabilityDomain', 'instanceId', 'volumeId'],
    (one) => ({ ...one }),
  );
export const getAttachment: Operation = ({ world, params }) =>
  ok({ ...demand(world.attachments, params['volumeAttachmentId']) });
export const listBootAttachments: Operation = (call) => {
  if (call.query.get('availabilityDomain') === null) throw invalid('availabilityDomain is needed');
  return listReply(
    call,
    call.world.bootAttachments.listed(),
    ['compartmentId', 'availabilityDomain', 'instanceId', 'bootVolumeId'],
    (one) => ({ ...one }),
  );
};

export const attachVolume: Operation = creation((call) => {
  const { world, body } = call;
  const instance = demand(world.instances, text(body, 'instanceId'));
  const volume = demand(world.volumes, text(body, 'volumeId'));
  const type = text(body, 'type') as VolumeAttachmentRecord['attachmentType'];
  if (!['paravirtualized', 'iscsi', 'emulated'].includes(type)) throw invalid(`type ${type} is not known`);
  if (!['RUNNING', 'STOPPED'].includes(instance.lifecycleState))
    throw incorrectState(`The instance is in state ${instance.lifecycleState}`);
  // Emulated disks are on a bus that takes nothing while the machine runs.
  if (type === 'emulated' && instance.lifecycleState !== 'STOPPED')
    throw incorrectState('An emulated volume is attached while the instance is stopped');
  if (volume.lifecycleState !== 'AVAILABLE') throw incorrectState(`The volume is in state ${volume.lifecycleState}`);
  if (volume.availabilityDomain !== instance.availabilityDomain)
    throw invalid('The volume and the instance are in different availability domains');
  if (attachmentsOf(world, volume.id).length > 0)
    throw refuse(409, 'Conflict', `The volume ${volume.id} is attached already`);
  const device = body['device'] === undefined ? undefined : text(body, 'device');
  if (
    device !== undefined &&
    [...world.attachments.values()].some(
      (one) => one.instanceId === instance.id && one.device === device && !isGone(one),
    )
  )
    throw refuse(409, 'Conflict', `The device ${device} is taken`);
  const attachment = makeAttachment(world, instance, volume, {
    attachmentType: type,
    displayName: String(body['displayName'] ?? 'attachment'),
    isReadOnly: body['isReadOnly'] === true,
    useChap: body['useChap'] === true,
    ...(device === undefined ? {} : { device }),
  });
  const work = world.openWork(call.requestId, {
    operationType: 'AttachVolume',
    compartmentId: instance.compartmentId,
    resourceId: attachment.id,
  });
  world.transition({
    fault: call.fault,
    operation: work,
    work: () => world.ground.machines.attach(instance.id, dataVolume(world, attachment)),
    succeed: () => {
      if (attachment.lifecycleState === 'ATTACHING') attachment.lifecycleState = 'ATTACHED';
    },
    fail: () => {
      attachment.lifecycleState = 'DETACHED';
    },
  });
  return { status: 200, body: { ...attachment }, headers: { 'opc-work-request-id': work.id } };
});

export const detachVolume: Operation = (call) => {
  const { world } = call;
  const attachment = demand(world.attachments, call.params['volumeAttachmentId']);
  if (isGone(attachment)) throw incorrectState(`The attachment is in state ${attachment.lifecycleState}`);
  if (attachment.lifecycleState !== 'ATTACHED')
    throw refuse(409, 'Conflict', `The attachment is in state ${attachment.lifecycleState}`);
  attachment.lifecycleState = 'DETACHING';
  world.transition({
    fault: call.fault,
    work: () => world.ground.machines.detach(attachment.instanceId, attachment.volumeId),
    succeed: () => {
      attachment.lifecycleState = 'DETACHED';
    },
    fail: () => {
      attachment.lifecycleState = 'ATTACHED';
    },
  });
  return noContent();
};

/** One that is not attached yet has no VNIC to show. */
export const listVnicAttachments: Operation = (call) =>
  listReply(
    call,
    call.world.vnicAttachments.listed(),
    ['compartmentId', 'instanceId', 'vnicId'],
    ({ vnicId, ...one }) => ({ ...one, ...(one.lifecycleState === 'ATTACHING' ? {} : { vnicId }) }),
  );

export const attachVnic: Operation = creation((call) => {
  const { world, body } = call;
  const instance = demand(world.instances, text(body, 'instanceId'));
  if (!['RUNNING', 'STOPPED'].includes(instance.lifecycleState))
    throw incorrectState(`The instance is in state ${instance.lifecycleState}`);
  const details = (body['createVnicDetails'] ?? {}) as Record<string, unknown>;
  const subnet = subnetFor(world, details);
  const groups = groupsFor(world, details, subnet);
  const most = world.setup.shapes.find(({ shape }) => shape === instance.shape);
  const used = [...world.vnicAttachments.values()].filter(
    (one) => one.instanceId === instance.id && !isGone(one),
  ).length;
  const limit =
    most?.isFlexible === true ? Math.max(2, Math.min(24, instance.shapeConfig.ocpus)) : (most?.maxVnicAttachments ?? 2);
  if (used >= limit) throw refuse(400, 'LimitExceeded', `The shape ${instance.shape} has no more than ${limit} VNICs`);
  const attachment = makeVnic(world, instance, subnet, groups, details, false);
  if (typeof body['displayName'] === 'string') attachment.displayName = body['displayName'];
  world.transition({
    fault: call.fault,
    succeed: () => {
      if (attachment.lifecycleState === 'ATTACHING') attachment.lifecycleState = 'ATTACHED';
    },
    fail: () => {
      attachment.lifecycleState = 'DETACHED';
      const vnic = world.vnics.get(attachment.vnicId);
      if (vnic !== undefined) vnic.lifecycleState = 'TERMINATED';
    },
  });
  return ok({ ...attachment });
});
