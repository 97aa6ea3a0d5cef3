/**
 * What the best evidence for a capability is:
 *
 *   real                       against the product itself, a real guest, or files that the format's own tools made
 *   vendor-checked simulator   against a simulator; each request and answer is checked against the vendor's API description
 *   stand-in                   against a simulator, script or synthetic disk of this project, which may share its mistakes
 *   never seen                 no test has seen it; there may be code, configuration and offline checks
 */
export type Grade = 'real' | 'vendor-checked simulator' | 'stand-in' | 'never seen';

export interface Capability {
  readonly area: string;
  readonly capability: string;
  /** What the specs below can prove when all of them pass. */
  readonly grade: Grade;
  /** What it was tried with, and the limits. */
  readonly against: string;
  /** Spec files below e2e, without `.spec.ts`. Empty where the grade is `never seen`. */
  readonly specs: readonly string[];
}

type Row = readonly [capability: string, grade: Grade, against: string, ...specs: readonly string[]];

const part = (area: string, ...rows: readonly Row[]): Capability[] =>
  rows.map(([capability, grade, against, ...specs]) => ({ area, capability, grade, against, specs }));

/** Programs with a version that matters, as the results record them, and the specs that it matters to. */
export const programs: Readonly<Record<string, { readonly command: readonly string[]; readonly specs: RegExp }>> = {
  QEMU: { command: ['qemu-system-x86_64', '--version'], specs: /./ },
  nbdkit: { command: ['nbdkit', '--version'], specs: /\/(?:nbd|source-conformance|disk-images|image-formats|qemu-|running-guest)/ },
  OpenSSH: { command: ['ssh', '-V'], specs: /./ },
  Chromium: { command: ['chromium', '--version'], specs: /\/workbench-/ },
  Nova: { command: ['dpkg-query', '--show', '--showformat=${Version}', 'nova-common'], specs: /^specs-openstack\// },
};

/** Plugin → the variable that names the vendor's API description, against which a simulator of it checks requests; or the vendor's library, if its models are always there. */
export const vendorDescriptions: Readonly<Record<string, string>> = {
  'european-cloud': 'CAUSEWAY_EUROPEAN_CLOUD_OPENAPI',
  'open-source-cloud': 'CAUSEWAY_OPENSTACK_API',
  'large-public-cloud': 'CAUSEWAY_AWS_MODELS',
  'resource-group-cloud': '@azure/arm-compute',
  'compartment-cloud': 'CAUSEWAY_COMPARTMENT_CLOUD_MODELS',
  'classic-infrastructure-cloud': 'CAUSEWAY_CLASSIC_CLOUD_TYPES',
};

/** Kept by hand: a new spec file needs a line here. */
export const capabilities: readonly Capability[] = [
  ...part('Sources',
    ['`disk-images`: raw, qcow2, VMDK, VHD, VHDX, VDI, OVF, OVA', 'real', 'images made by qemu-img, on Linux; no QEMU is needed to read them', 'specs/disk-images', 'specs-full/image-formats', 'specs/image-matrix', 'specs-full/source-conformance'],
    ['`disk-images` on Windows: VMDK over HTTPS and SSH, killed and resumed', 'stand-in', 'Windows\' Node under Wine: the command line, Windows\' own Node 22, Debian\'s Wine instead of Windows', 'specs-guests/windows-replication'],
    ['`disk-images` on macOS', 'never seen', 'the same code'],
    ['`qemu-hypervisor`: running VMs, changed block tracking', 'real', 'QEMU', 'specs/qemu-hypervisor', 'specs-full/running-guest', 'specs-full/source-conformance', 'specs/nbd', 'specs-full/qemu-interruptions', 'specs-guests/source-vm-rig'],
    ['`qemu-hypervisor`: through libvirt', 'stand-in', 'a stand-in for libvirt\'s daemon, on this computer and over TLS', 'specs/qemu-hypervisor'],
    ['`qemu-hypervisor`: over SSH', 'real', 'QEMU behind OpenSSH\'s server', 'specs/qemu-over-ssh'],
    ['`qemu-hypervisor`: libvirt over SSH and TLS', 'real', 'libvirtd of Debian, where it is installed', 'specs-full/libvirt-over-ssh'],
    ['`open-source-cloud`: backups in the object store and in Ceph, Ceph snapshots, export worker', 'real', 'OpenStack Zed of Debian, Ceph', 'specs-openstack/source', 'specs-openstack/source-conformance', 'specs-openstack/source-faults', 'specs-openstack/crash', 'specs-openstack/two-projects'],
    ['`open-source-cloud`: Ceph mechanisms on a computer without Ceph\'s programs, through the export worker', 'real', 'OpenStack Zed of Debian, Ceph; the programs are hidden', 'specs-openstack/no-local-tools'],
    ['`open-source-cloud`: compressed backups', 'never seen', 'refused'],
    ['disks of vSphere from the data port of its hosts', 'stand-in', 'a stand-in for a host, which a client that others wrote against ESXi 8 reads as well', 'specs/nfc', 'specs/nfc-connections', 'specs-full/nfc-peer'],
    ['disks of vSphere by the vendor\'s library', 'stand-in', 'nbdkit\'s vddk plugin as Debian has it, with a stand-in for the library built from its documented interface', 'specs/vendor-library', 'specs/vsphere-transports'],
    ['`virtualization-platform`: inventory, snapshots, change tracking, its parameters', 'stand-in', 'govmomi\'s simulator with an interceptor of the lab in front, tried with pyVmomi as well; requests are checked against the API\'s types', 'specs/vsphere-source', 'specs/vsphere-tracking', 'specs/vsphere-inventory', 'specs/vsphere-first-copy', 'specs/vsphere-wave', 'specs/vsphere-transports', 'specs-full/vsphere-conformance', 'specs/vsphere-types', 'specs-full/vsphere-guest', 'specs-guests/vsphere-real-guest'],
    ['`virtualization-platform`: a real vCenter or ESXi', 'never seen', ''],
    ['`windows-hypervisor`: inventory, checkpoints, change tracking, clusters, disks by the RCT service', 'stand-in', 'WinRM and the RCT service of the lab, which answer Causeway\'s own scripts from a model and run no PowerShell; NTLM with the specification\'s examples', 'specs/hyperv-source', 'specs/hyperv-endpoint', 'specs-full/hyperv-conformance'],
    ['`windows-hypervisor`: sign-in by Kerberos', 'stand-in', 'MIT Kerberos of Debian, as the domain controller and as what takes the tickets; no Active Directory was tried', 'specs/hyperv-kerberos'],
    ['`windows-hypervisor`: disks by Causeway\'s own reader, over TLS and over SSH', 'stand-in', 'a program in Python that speaks the reader\'s protocol on VHDX files of qemu-img and differencing chains that the lab writes; where Mono is installed, the C# program itself, with a library that stands in for the calls of Windows', 'specs/hyperv-disk-access', 'specs/hyperv-replica', 'specs-full/hyperv-reader-conformance', 'specs-full/hyperv-reader-program'],
    ['`windows-hypervisor`: a guest of generation 2 (UEFI, secure boot) with an initial RAM disk that knows Hyper-V alone, replicated by both ways, deployed', 'stand-in', 'the same stand-ins, with a Debian guest on a VHDX; it boots on an emulator with firmware that enforces secure boot', 'specs-guests/hyperv-guest'],
    ['`windows-hypervisor`: a real Hyper-V host', 'never seen', 'the scripts are parsed and held to the rules of PSScriptAnalyzer, but run nowhere'],
    ['`resource-group-cloud`: incremental snapshots, page ranges and their differences, sign-in by secret and certificate', 'vendor-checked simulator', 'the lab\'s simulator of Azure, by the vendor\'s own libraries; its requests and answers are always held against their models', 'specs/azure-source', 'specs-full/azure-source-conformance', 'specs/azure-to-european-cloud'],
    ['`resource-group-cloud`: unmanaged disks, by snapshots of page blobs and what differs between them', 'vendor-checked simulator', 'the lab\'s simulator of Azure\'s storage accounts, by the vendor\'s own library, which has the models that its requests and answers are held against', 'specs-full/azure-unmanaged'],
    ['`resource-group-cloud`: snapshots copied to a storage account and read there', 'vendor-checked simulator', 'the lab\'s simulator of Azure, by the vendor\'s own libraries; its requests and answers are always held against their models', 'specs-full/azure-blob-copies'],
    ['`resource-group-cloud`: disks by an export worker', 'vendor-checked simulator', 'the lab\'s simulator of Azure, with workers of the lab', 'specs-full/azure-export-worker'],
    ['`resource-group-cloud`: sign-in of a person by a code', 'stand-in', 'the lab\'s simulator of the identity platform, by the vendor\'s own library', 'specs/azure-device-sign-in'],
    ['`resource-group-cloud`: a real subscription', 'never seen', ''],
    ['`large-public-cloud`: sign-in, inventory, snapshots, EBS direct APIs', 'vendor-checked simulator', 'the lab\'s simulator of EC2, EBS direct APIs and STS, which the vendor\'s own SDK talks to; requests and answers are checked when `CAUSEWAY_AWS_MODELS` names the folder of the vendor\'s models', 'specs/aws-source', 'specs/aws-snapshots', 'specs-full/aws-conformance', 'specs/aws-quotas', 'specs/aws-to-european-cloud'],
    ['`large-public-cloud`: reading by a worker', 'vendor-checked simulator', 'the same simulator, with real workers behind its instances', 'specs/aws-worker-start', 'specs-full/aws-export-worker', 'specs-full/aws-worker-suite', 'specs-guests/aws-to-european-cloud-guest'],
    ['`large-public-cloud`: the real cloud', 'never seen', ''],
    ['`classic-infrastructure-cloud`: inventory, collocated snapshots, reading by a worker', 'vendor-checked simulator', 'the lab\'s simulator of Oracle\'s classic cloud; checked when `CAUSEWAY_CLASSIC_CLOUD_TYPES` names the types of the vendor\'s client in Go. The vendor\'s own description is no longer available', 'specs/classic-cloud-rig', 'specs/classic-cloud-source', 'specs-full/classic-cloud-faults'],
    ['`classic-infrastructure-cloud` as a source: a real site', 'never seen', 'the platform is retired'],
    ['`server-virtualization-manager`: sign-in, inventory, snapshots and ranges of the exporter service, clones of disks', 'stand-in', 'the lab\'s simulator of Oracle VM Manager and of the exporter service', 'specs/ovm-source', 'specs-full/ovm-conformance'],
    ['`server-virtualization-manager`: reading by a worker', 'stand-in', 'the same simulator, with workers of the lab behind VMs from the template', 'specs-full/ovm-export-worker', 'specs-full/ovm-to-european-cloud', 'specs-guests/ovm-guest'],
    ['`server-virtualization-manager` as a source: a real manager', 'never seen', ''],
  ),
  ...part('Destinations',
    ['`european-cloud`: volumes, workers, deployments', 'vendor-checked simulator', 'the lab\'s simulator of the STACKIT IaaS API v2, checked when `CAUSEWAY_EUROPEAN_CLOUD_OPENAPI` names the vendor\'s document', 'specs/european-cloud-rig', 'specs/european-cloud-destination', 'specs/european-cloud-deployment', 'specs/destination-conformance', 'specs/deployment-conformance'],
    ['The toy platform of docs/add-a-platform.md', 'stand-in', 'an API of this project on loopback; not a platform that people have', 'specs-full/toy-platform'],
    ['`european-cloud`: the real cloud', 'never seen', ''],
    ['`open-source-cloud`: volumes, workers, faults', 'real', 'OpenStack Zed of Debian', 'specs-openstack/destination', 'specs-openstack/conformance', 'specs-openstack/faults', 'specs-openstack/parameters', 'specs-openstack/worker-down'],
    ['`open-source-cloud`: passwords, application credentials, regions, tokens that expire', 'real', 'OpenStack Zed of Debian', 'specs-openstack/identity', 'specs-openstack/token-life'],
    ['`open-source-cloud`: deployments with BIOS and UEFI, in place, rolled back', 'real', 'OpenStack Zed of Debian', 'specs-openstack/deployment', 'specs-openstack/deployment-conformance', 'specs-openstack/deployment-volumes', 'specs-openstack/firmware', 'specs-openstack/in-place', 'specs-openstack/uefi-guest'],
    ['`open-source-cloud`: a guest from Azure; a guest to OCI', 'real', 'OpenStack Zed of Debian at one end, the lab\'s simulators of Azure and OCI at the other', 'specs-openstack/azure-to-openstack', 'specs-openstack/openstack-to-oci'],
    ['`open-source-cloud`: deployments of Windows', 'never seen', ''],
    ['`resource-group-cloud`: disks, workers with LUNs, deployments', 'vendor-checked simulator', 'the lab\'s simulator of Azure\'s Resource Manager, spoken to by the vendor\'s own libraries; its requests and answers are always held against the models of these libraries', 'specs/resource-group-cloud-destination', 'specs/resource-group-cloud-migration', 'specs-full/resource-group-cloud-conformance', 'specs-full/resource-group-cloud-faults', 'specs-guests/qemu-to-azure-guest'],
    ['`resource-group-cloud`: first copies by direct upload, requests that keep to the quota', 'vendor-checked simulator', 'the lab\'s simulator of Azure\'s Resource Manager and page blobs', 'specs/azure-direct-upload', 'specs/azure-throttling'],
    ['`resource-group-cloud`: page blobs of a storage account', 'vendor-checked simulator', 'the lab\'s simulator of Azure\'s Resource Manager and storage accounts', 'specs/azure-page-blobs'],
    ['`resource-group-cloud`: the real cloud', 'never seen', ''],
    ['`compartment-cloud`: volumes, boot volumes from an empty image, workers, deployments', 'vendor-checked simulator', 'the lab\'s simulator of OCI, which verifies every signature; checked when `CAUSEWAY_COMPARTMENT_CLOUD_MODELS` names the models of the vendor\'s SDK', 'specs/compartment-cloud-rig', 'specs/compartment-cloud-destination', 'specs-full/compartment-cloud-conformance', 'specs/images-to-compartment-cloud', 'specs-full/compartment-cloud-faults'],
    ['`compartment-cloud`: the real cloud', 'never seen', ''],
    ['`classic-infrastructure-cloud`: volumes, workers by index, deployments by launch plans', 'vendor-checked simulator', 'the same simulator', 'specs/classic-cloud-rig', 'specs/classic-cloud-destination', 'specs-full/classic-cloud-conformance', 'specs-full/classic-cloud-faults'],
    ['`classic-infrastructure-cloud` as a destination: a real site', 'never seen', 'the platform is retired'],
    ['`server-virtualization-manager`: virtual disks, workers from a template, deployments', 'stand-in', 'the same simulator', 'specs/ovm-destination', 'specs-full/ovm-destination-conformance', 'specs-full/images-to-ovm', 'specs-full/ovm-destination-faults'],
    ['`server-virtualization-manager` as a destination: a real manager', 'never seen', ''],
  ),
  ...part('Replication',
    ['Full and incremental executions, verified', 'real', 'real disks and the real agent, on the lab\'s cloud', 'specs/replica-execution', 'specs/resume-cli'],
    ['Workers that executions use in turn; blocks of a common template sent once; kept blocks that are not what they are said to be; an engine that is killed with a worker in its pool', 'real', 'native workers, on the lab\'s cloud', 'specs/worker-pool', 'specs-full/workbench-worker-pool'],
    ['Volumes that a worker logs in to by iSCSI with CHAP', 'real', 'targets of Debian\'s tgt, an emulated worker with udev and open-iscsi', 'specs-full/iscsi-worker'],
    ['Resuming after a killed engine, worker or link', 'real', 'killed processes, cut and silent links, on the lab\'s cloud', 'specs/crash', 'specs/link-loss', 'specs-full/emulated-worker', 'specs-full/set-clock-and-two-processes'],
    ['Faults of cloud calls', 'stand-in', 'faults of the lab\'s cloud', 'specs/execution-faults', 'specs-full/deployment-faults'],
    ['Full disks of this computer', 'real', 'file systems without space', 'specs/full-disk'],
    ['Every source with every destination: in full, by what changed, deployed', 'stand-in', 'the lab\'s simulators; the table is below', 'specs-pairs/platform-pairs'],
    ['Movers: an engine on another computer, placed and reached over SSH through a jump host; the command that started an execution is killed, or stands still', 'real', 'OpenSSH on the same computer, the packaged engine in another home folder and a network of its own', 'specs-guests/mover'],
    ['Movers: data goes from the mover to the worker while the laptop\'s own link has 10 Mbit/s', 'real', 'the same, and a proxy that shapes the link', 'specs-guests/mover-data-way'],
    ['Movers in the workbench: adding one, opening a project there, a lost link, a killed service', 'real', 'the same, the page in Chromium', 'specs-guests/workbench-mover'],
    ['Fleets: the journal of a replica and its claims on three NATS servers, one of them killed; a member that others took over from can append nothing more', 'real', 'nats-server of Debian', 'specs/fleet-journal'],
    ['Fleets: roles, also for a client that is not Causeway', 'real', 'nats-server of Debian', 'specs/fleet-roles'],
    ['Fleets: descriptions, conflicts of two people', 'real', 'nats-server of Debian', 'specs/fleet-descriptions'],
    ['Fleets in the workbench: two people change the same replica, and the second one decides with the difference', 'real', 'nats-server of Debian, the page in Chromium', 'specs-guests/workbench-fleet'],
    ['Fleets in the workbench: members, queue, limits and their changes; what a viewer sees; joining and leaving', 'real', 'nats-server of Debian, the page in Chromium', 'specs-guests/workbench-fleet-screen'],
    ['Fleets: executions, limits, draining and urgency from the command line; the calendar in one member, and in another one when it is stopped or killed', 'real', 'nats-server of Debian, engines in processes of their own, the lab\'s cloud', 'specs-guests/fleet-commands'],
    ['Fleets: executions and waves go to members with room, within limits; shown as running there; whoever leads a wave is killed', 'real', 'nats-server of Debian, engines in processes of their own, the lab\'s cloud', 'specs-guests/fleet-waves'],
    ['An engine on a VM of the destination: volumes are attached to that VM and written by an agent there, as a user with sudo; killed and continued elsewhere', 'real', 'native workers, on the lab\'s cloud', 'specs/own-vm', 'specs-guests/fleet-own-vm'],
    ['An engine on a VM of the destination where disks have no serials: only the devices of its volumes are taken, whatever else comes and goes', 'vendor-checked simulator', 'native workers, as VMs of the simulated resource-group cloud', 'specs/own-vm-devices'],
    ['An engine on a VM of the source: copies of disks are attached to that VM and read by an agent there, as a user with sudo; killed and continued elsewhere', 'vendor-checked simulator', 'native workers, as VMs of the simulated large public cloud', 'specs/own-vm-source'],
    ['An engine on a VM of Azure, OCI or Oracle classic: attachments with every fault and crash, devices found and written by an agent there, VMs elsewhere and full ones', 'vendor-checked simulator', 'the lab\'s simulators, native workers', 'specs/own-vm-conformance'],
    ['Fleets: movers are killed, stopped and cut off, and servers fail, at points that a seed chooses', 'real', 'nats-server of Debian, engines in processes of their own, the lab\'s cloud', 'specs-guests/fleet-chaos'],
    ['Fleets: an engine is killed or stopped in the middle of a disk, and another one continues', 'real', 'the same, two engines, the lab\'s cloud', 'specs-guests/fleet-take-over'],
    ['`open-source-cloud` with some of the others: in full, by what changed, deployed', 'real', 'OpenStack Zed of Debian at one end, the lab\'s simulators at the other; the table is below', 'specs-openstack/pairs'],
    ['Two computers with one project, a lost source', 'stand-in', 'the lab\'s cloud', 'specs/other-computer', 'specs/workbench-source-gone'],
    ['Transfer over HTTPS and SSH, pinned on both sides', 'real', 'OpenSSH, TLS, native and emulated workers', 'specs/transport-conformance', 'specs/transport-trust', 'specs/worker-agent', 'specs/agent-fencing', 'specs/transport-long-links', 'specs-full/lab-workers'],
  ),
  ...part('Deployment and guests',
    ['Deployment, boot check, roll back, engines killed in between', 'stand-in', 'a guest on the lab\'s cloud', 'specs/deployment', 'specs-full/deployment-crash', 'specs-guests/deployment-guest', 'specs-guests/lab-guests'],
    ['Guests of each kind of Debian\'s archive (dracut, systemd-boot, GRUB with entries of the specification, GRUB legacy, Xen, LVM with filters, Clevis, SELinux, multipath, XFS, netplan, NetworkManager, bridges, …) on four buses', 'real', 'Debian 12 guests on QEMU; the table is below', 'specs-guests/guest-corpus'],
    ['Debian guests: plain, LVM, btrfs, UEFI, LUKS on a mirror', 'real', 'Debian 12 guests, booted on VirtIO', 'specs/osmorphing-linux', 'specs-full/osmorphing-boot', 'specs-full/osmorphing-layers', 'specs-guests/guest-layout-lvm', 'specs-guests/guest-layout-btrfs', 'specs-guests/guest-layout-uefi', 'specs-guests/guest-layout-encrypted', 'specs-guests/guest-networks', 'specs-guests/migrated-guest-boots'],
    ['Guests with rpm, dnf or zypper, dracut, NetworkManager', 'stand-in', 'a system made of Debian\'s files that these tools run', 'specs-guests/rpm-guest', 'specs-full/osmorphing-offline'],
    ['Guests prepared for Xen\'s disks and NICs', 'stand-in', 'files of a Debian 12 guest are inspected; none was started under Xen', 'specs-full/xen-guest'],
    ['Hostile guests', 'real', 'hostile file systems on a native worker', 'specs-full/osmorphing-hostile'],
    ['Guests of the RHEL and SUSE families, Ubuntu', 'never seen', 'unit tests on synthetic trees of RHEL 5 to 10, Oracle Linux with UEK, Amazon Linux 2 and 2023, SLES 11 to 16, Ubuntu 14.04 to 26.04, with stand-ins for their programs'],
    ['Windows guests, prepared by a Linux worker', 'stand-in', 'a synthetic disk with real registry hives and dummy drivers', 'specs/osmorphing-windows-offline', 'specs/deployment-windows'],
    ['Volumes that BitLocker encrypts: the recovery key is tried, and a suspended one needs none', 'stand-in', 'volumes encrypted by the published format, Debian\'s cryptsetup, which checks the key, and what the device mapper is asked for, decrypted', 'specs/bitlocker-volume'],
    ['Windows guests on a volume that BitLocker encrypts, prepared with a recovery key, or with none while its protection is suspended', 'stand-in', 'the synthetic disk of Windows, encrypted by the published format; opened and written through a real kernel and Debian\'s cryptsetup; no Windows unlocked it', 'specs-guests/windows-bitlocker'],
    ['Guests in disk images, inspected without a cloud', 'stand-in', 'images with the least that counts as a Debian, and the synthetic disk of Windows', 'specs/guest-inspect'],
    ['Guests of replicas, inspected on their volumes before a deployment', 'stand-in', 'an image with the least that counts as a Debian, on the simulated cloud', 'specs/guest-inspect-replica'],
    ['Windows guests, prepared by a Windows worker', 'stand-in', 'a stand-in for WinRM; the PowerShell scripts never ran', 'specs/osmorphing-windows-worker'],
    ['A real Windows guest', 'never seen', ''],
  ),
  ...part('Workbench and command line',
    ['The npm package of the command line, installed into an empty folder', 'real', 'npm', 'specs-guests/npm-package'],
    ['The page: projects, endpoints, inventory, configuration, executions, deployments, accessibility', 'real', 'Chromium', 'specs/workbench-from-nothing', 'specs/workbench-first-screen', 'specs/workbench-configure', 'specs/workbench-deploy', 'specs/workbench-endpoints', 'specs/workbench-files-editor', 'specs/workbench-interchange', 'specs-full/workbench-keyboard', 'specs/workbench-lists', 'specs/workbench-manual', 'specs-full/workbench-reopened', 'specs-full/workbench-platforms', 'specs-full/workbench-destinations', 'specs-full/workbench-sample', 'specs-full/workbench-pseudo-locale', 'specs-guests/workbench-real-guest'],
    ['The page: waves, calendar, three waves of 100 VMs from a workbook, clicks to the first replica; German', 'real', 'Chromium', 'specs/workbench-waves', 'specs-full/workbench-three-waves', 'specs-full/workbench-apply-to-many', 'specs-full/workbench-first-replica', 'specs-full/workbench-german'],
    ['A cut-over night of three VMs that depend on each other: calendar, checks, roll-back, evidence that others verify', 'stand-in', 'sources in the simulated resource-group cloud, VMs of the simulated European cloud that boot on QEMU, Chromium, Python', 'specs-guests/cut-over-night'],
    ['The local web server: admission, content security policy', 'real', 'Chromium', 'specs/workbench-security'],
    ['The page: network settings; proxies by script, with a sign-in; behind a proxy that opens no WebSockets', 'stand-in', 'Chromium, proxies and a script on loopback', 'specs/workbench-network'],
    ['Libraries of the clouds in the bundle, as packages have them', 'stand-in', 'the built command line, with the lab\'s simulators of AWS and Azure', 'specs/bundled-libraries'],
    ['The desktop app\'s window, dialogs and key store; its packages', 'never seen', 'unit tests with a typed stand-in for Electron'],
    ['The cryptography that Electron has', 'stand-in', 'Node without the algorithms that Electron lacks', 'specs/electron-cryptography'],
    ['Workspace trust', 'real', 'a hostile project folder', 'specs/hostile-project'],
    ['Offline checks of environments', 'real', 'the built command line', 'specs/validate-cli'],
    ['The demonstration', 'real', 'the lab', 'specs-full/demo'],
    ['On Windows: the command line', 'stand-in', 'Windows\' Node under Wine: validation, a project, its vault; access lists and the key store are not there', 'specs-guests/windows-command-line'],
    ['On Windows: the workbench in the browser', 'stand-in', 'Windows\' Node under Wine serves the page to Debian\'s Chromium', 'specs-guests/windows-workbench'],
    ['On Windows: the demonstration, with the VM on a host over SSH', 'stand-in', 'Windows\' Node under Wine; the VM is a Debian on QEMU behind OpenSSH\'s server', 'specs-guests/windows-demo'],
    ['On Windows: unit tests of paths, files, pipes and processes', 'stand-in', 'Windows\' Node under Wine: Windows\' own Node 22, Debian\'s Wine instead of Windows; access lists and the key store are not there', 'specs-guests/windows-unit-tests'],
  ),
];
