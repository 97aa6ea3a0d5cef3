// Volumes that are attached to VMs on which engines run, where devices are told by other things than serials.
import { ownVmLab as classicLab } from '../conformance/classic-cloud-labs.ts';
import { ownVmLab as compartmentLab } from '../conformance/compartment-cloud-labs.ts';
import { describeOwnVm } from '../conformance/own-vm.ts';
import { ownVmLab as resourceGroupLab } from '../conformance/resource-group-cloud-labs.ts';

describeOwnVm('resource-group-cloud', resourceGroupLab);
describeOwnVm('compartment-cloud', compartmentLab);
describeOwnVm('classic-infrastructure-cloud', classicLab);
