import type { FieldWords } from '../catalogue.ts';
import { germanFieldGroups } from './field-groups.ts';
import type { FieldTexts } from './field-texts.ts';
import { classicInfrastructureCloudFields } from './fields-classic-infrastructure-cloud.ts';
import { compartmentCloudFields } from './fields-compartment-cloud.ts';
import { diskImagesFields } from './fields-disk-images.ts';
import { europeanCloudFields } from './fields-european-cloud.ts';
import { largePublicCloudFields } from './fields-large-public-cloud.ts';
import { openSourceCloudFields } from './fields-open-source-cloud.ts';
import { qemuHypervisorFields } from './fields-qemu-hypervisor.ts';
import { resourceGroupCloudFields } from './fields-resource-group-cloud.ts';
import { serverVirtualizationManagerFields } from './fields-server-virtualization-manager.ts';
import { virtualizationPlatformFields } from './fields-virtualization-platform.ts';
import { windowsHypervisorFields } from './fields-windows-hypervisor.ts';

/** German titles and help of the fields of every form. A field that is not here is shown in English. */
export const germanFields: FieldTexts = {
  ...classicInfrastructureCloudFields,
  ...compartmentCloudFields,
  ...diskImagesFields,
  ...europeanCloudFields,
  ...largePublicCloudFields,
  ...openSourceCloudFields,
  ...qemuHypervisorFields,
  ...resourceGroupCloudFields,
  ...serverVirtualizationManagerFields,
  ...virtualizationPlatformFields,
  ...windowsHypervisorFields,
};

export function germanFieldWords(field: string, english: FieldWords): FieldWords {
  return { ...english, ...germanFields[field], group: germanFieldGroups[english.group] ?? english.group };
}
