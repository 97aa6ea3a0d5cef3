/** More disks than that are refused by the hypervisors of most clouds. */
export const mostOwnVmVolumes = 24;
export const usualOwnVmVolumes = 12;
