import type { JsonObject } from '../../../shared/model/json.ts';
import type { PluginId } from '../../../shared/model/plugin-id.ts';
import { connection as diskImagesConnection } from '../../../shared/plugins/disk-images/connection.ts';
import { connection as qemuHypervisorConnection } from '../../../shared/plugins/qemu-hypervisor/connection.ts';
import { connection as virtualizationPlatformConnection } from '../../../shared/plugins/virtualization-platform/connection.ts';
import { connection as windowsHypervisorConnection } from '../../../shared/plugins/windows-hypervisor/connection.ts';
import type { DestinationPlatform } from '../ports/destination-platform.ts';
import type { PersonSignIn, PlatformContext, SignInStore } from '../ports/platform-context.ts';
import type { SourcePlatform } from '../ports/source-platform.ts';
import { createClassicDestination } from './classic-infrastructure-cloud/destination/classic-destination.ts';
import { createClassicSource } from './classic-infrastructure-cloud/source/classic-source.ts';
import { createCompartmentCloudDestination } from './compartment-cloud/destination/oci-destination.ts';
import { createDiskImagesSource } from './disk-images/index.ts';
import { createEuropeanCloudDestination } from './european-cloud/european-cloud-destination.ts';
import { createAwsSource } from './large-public-cloud/source/index.ts';
import { createOpenStackDestination } from './open-source-cloud/destination/openstack-destination.ts';
import { createOpenStackSource } from './open-source-cloud/source/index.ts';
import { signInToAzure } from './resource-group-cloud/client/open-azure.ts';
import { createAzureDestination } from './resource-group-cloud/destination/azure-destination.ts';
import { createVsphereSource } from './virtualization-platform/source/index.ts';
import { createAzureSource } from './resource-group-cloud/source/index.ts';
import { createQemuHypervisorSource } from './qemu-hypervisor/index.ts';
import { createOvmDestination } from './server-virtualization-manager/destination/ovm-destination.ts';
import { createOvmSource } from './server-virtualization-manager/source/index.ts';
import { createHypervSource } from './windows-hypervisor/index.ts';

/** Makes the platforms of one endpoint. The connection has its secrets resolved; keep it in memory only. */
export interface PlatformFactory {
  source?(connection: JsonObject, context: PlatformContext): SourcePlatform;
  destination?(connection: JsonObject, context: PlatformContext): DestinationPlatform;
  /** Where people sign in themselves: asks for a code that one of them enters in a browser. */
  signIn?(connection: JsonObject, store: SignInStore, signal: AbortSignal): Promise<PersonSignIn>;
}

export type PlatformRegistry = Readonly<Partial<Record<PluginId, PlatformFactory>>>;

/** Every platform that can be reached; a new one is a folder beside this file and a line here. */
export const platforms: PlatformRegistry = {
  'disk-images': {
    source: (connection, context) => createDiskImagesSource(diskImagesConnection.parse(connection), context),
  },
  'qemu-hypervisor': {
    source: (connection, context) => createQemuHypervisorSource(qemuHypervisorConnection.parse(connection), context),
  },
  'open-source-cloud': {
    source: (connection, context) => createOpenStackSource(connection, context),
    destination: (connection) => createOpenStackDestination(connection),
  },
  'large-public-cloud': { source: (connection, context) => createAwsSource(connection, context) },
  'virtualization-platform': {
    source: (connection, context) => createVsphereSource(virtualizationPlatformConnection.parse(connection), context),
  },
  'windows-hypervisor': {
    source: (connection, context) => createHypervSource(windowsHypervisorConnection.parse(connection), context),
  },
  'classic-infrastructure-cloud': {
    source: (connection, context) => createClassicSource(connection, context),
    destination: (connection) => createClassicDestination(connection),
  },
  'server-virtualization-manager': {
    source: (connection, context) => createOvmSource(connection, context),
    destination: (connection) => createOvmDestination(connection),
  },
  'compartment-cloud': { destination: (connection) => createCompartmentCloudDestination(connection) },
  'european-cloud': { destination: (connection) => createEuropeanCloudDestination(connection) },
  'resource-group-cloud': {
    source: (connection, context) => createAzureSource(connection, context),
    destination: (connection, { signIn }) => createAzureDestination(connection, { signIn }),
    signIn: (connection, store, signal) => signInToAzure(connection, store, signal),
  },
};
