import type { FeaturePolicy } from '../../../ports/platform-common.ts';
import { refer, value, type ManagedObject } from '../client/request.ts';
import type { VimSession } from '../client/session.ts';
import { childrenOf, flagAt, textAt } from '../client/xml.ts';

/** What an account has to be allowed. Ids as the API has them. */
export const featurePrivileges: readonly FeaturePolicy[] = [
  {
    feature: 'List and describe VMs',
    privileges: ['System.Anonymous', 'System.View', 'System.Read'],
    isEssential: true,
  },
  {
    feature: 'Take and remove snapshots',
    privileges: ['VirtualMachine.State.CreateSnapshot', 'VirtualMachine.State.RemoveSnapshot'],
    isEssential: true,
  },
  {
    feature: 'Read disks and what changed on them',
    privileges: ['VirtualMachine.Provisioning.DiskRandomRead', 'VirtualMachine.Provisioning.GetVmFiles'],
    isEssential: true,
  },
  {
    feature: 'Enable changed block tracking (automatically_enable_cbt)',
    privileges: ['VirtualMachine.Config.ChangeTracking'],
    isEssential: false,
  },
  {
    feature: 'Read disks as datastore files',
    privileges: ['Datastore.Browse', 'Datastore.FileManagement'],
    isEssential: false,
  },
  { feature: 'Read disks by an export', privileges: ['VApp.Export'], isEssential: false },
  {
    feature: 'Shut down the guest before the last execution',
    privileges: ['VirtualMachine.Interact.PowerOff'],
    isEssential: false,
  },
  {
    feature: 'Start the VM again when a cut-over is rolled back',
    privileges: ['VirtualMachine.Interact.PowerOn'],
    isEssential: false,
  },
];

/** The privileges that the signed-in account lacks on any of these objects. */
export async function missingPrivileges(
  session: VimSession,
  objects: readonly ManagedObject[],
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const manager = (await session.content(signal)).object('authorizationManager');
  const ask = (): Promise<Awaited<ReturnType<VimSession['call']>>> =>
    session.call(
      'HasPrivilegeOnEntities',
      manager,
      [
        ...objects.map((object) => refer('entity', object)),
        value('sessionId', session.sessionKey ?? ''),
        ...wanted.map((id) => value('privId', id)),
      ],
      signal,
    );
  // The session's key is known once somebody has signed in.
  await session.currentTime(signal);
  const answer = (await ask()).filter(({ name }) => name === 'returnval');
  const lacking = answer
    .flatMap((entity) => childrenOf(entity, 'privAvailability'))
    .filter((one) => flagAt(one, 'isGranted') === false)
    .map((one) => textAt(one, 'privId') ?? '');
  return [...new Set(lacking)];
}
