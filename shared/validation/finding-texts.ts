/** What the manual says of a finding, beyond the message that names the place and the value. */
export interface FindingText {
  /** One short line: what was found. */
  readonly title: string;
  readonly cause: string;
  readonly remedy: string;
}

type Row = readonly [title: string, cause: string, remedy: string];

/** Findings about the text of a file. */
const fileRows = {
  unreadable: [
    'The file cannot be read',
    'The file was moved or deleted, or its permissions do not allow reading.',
    'Choose the file again, or correct its permissions.',
  ],
  empty: ['The file is empty', 'The file holds no value, or only comments.', 'Add a source, a destination or both.'],
  encoding: [
    'The file is not UTF-8',
    'The editor saved the file in another encoding, such as UTF-16.',
    'Save the file as UTF-8.',
  ],
  syntax: [
    'The text cannot be parsed',
    'A bracket, quote, comma or indentation is missing or wrong at the place in the message.',
    'Correct the text at that line.',
  ],
  'too-large': [
    'The file is too large',
    'Environment files have a few kilobytes. A larger one is usually another file.',
    'Choose the environment file, or split it into one file per VM.',
  ],
  'too-deep': [
    'The text is nested too deeply',
    'Lists and objects are nested in more levels than any setting needs.',
    'Remove the nesting.',
  ],
  'multiple-documents': [
    'The file holds several YAML documents',
    'A line with --- starts another document. Only one document per file is accepted.',
    'Use one file per VM.',
  ],
  'yaml-alias': [
    'A YAML alias cannot be used',
    'An alias has no anchor, contains itself, or repeats too many values.',
    'Write the value out.',
  ],
  'yaml-tag': [
    'YAML tags are not accepted',
    'A tag such as !!python/object asks for a type that settings do not have.',
    'Remove the tag and write a plain value.',
  ],
  'duplicate-key': [
    'A key is set twice',
    'The same key appears twice in one object. Only one value could apply.',
    'Remove one of the two.',
  ],
  'forbidden-key': [
    'The key __proto__ is not accepted',
    'The key has a special meaning in programs and is never a setting.',
    'Remove the key.',
  ],
  'inline-comment': [
    'A comment is read as part of the value',
    'INI files have no comments behind a value.',
    'Put the comment on its own line.',
  ],
  'unknown-section': [
    'The section is not read',
    'No plugin reads a section with this name, so its options have no effect.',
    'Correct the name of the section, or ignore the message if the section is for another program.',
  ],
} as const satisfies Readonly<Record<string, Row>>;

/** Findings about keys and values of any part of a document. */
const shapeRows = {
  'no-side': [
    'Neither a source nor a destination',
    'The document has no part to check.',
    'Add source, destination or both.',
  ],
  'unknown-plugin': [
    'Unknown plugin',
    'The plugin id is misspelt, or it is the name of a product.',
    'Write the id that the suggestion gives.',
  ],
  'plugin-side': [
    'The plugin does not have this side',
    'Some platforms are only a source, others only a destination.',
    'Choose one of the plugins that the suggestion lists.',
  ],
  'other-endpoint': [
    'The document is for another platform',
    'The plugin in the text differs from the plugin of the endpoint.',
    'Remove the line with the plugin, or open the VM that uses the other endpoint.',
  ],
  'unknown-key': [
    'Unknown key',
    'The key is misspelt, belongs to another plugin or to the other side, or is a setting of the endpoint.',
    'Follow the suggestion: rename, move or remove the key. The page of the plugin lists all keys.',
  ],
  'missing-key': [
    'A required key is missing',
    'The key has no default, and no other layer sets it.',
    'Add the key here, in the wave, in the project or in the provider configuration.',
  ],
  'wrong-key': [
    'A name in a mapping is not accepted',
    'The mapping only accepts certain names, such as linux and windows.',
    'Rename the entry.',
  ],
  'wrong-type': [
    'The value has the wrong type',
    'For example a text in place of a list, a number in quotes, or a size with its unit.',
    'Write the value in the form that the suggestion shows.',
  ],
  'wrong-form': [
    'The value has the wrong form',
    'The text does not have the form that the key needs, such as a URL, a version or <network>/<subnet>.',
    'Correct the value; the page of the plugin has an example for each key.',
  ],
  'wrong-length': [
    'The value is too long or too short',
    'The platform limits the length of the text or the number of elements.',
    'Shorten or extend the value to the limit in the message.',
  ],
  'out-of-range': [
    'The number is out of range',
    'The key accepts only numbers within limits.',
    'Choose a number within the limits in the message.',
  ],
  'value-not-allowed': [
    'The value is not one of the allowed ones',
    'The key accepts only certain words, in this spelling.',
    'Choose one of the values in the message.',
  ],
  'surrounding-blanks': [
    'The value starts or ends with a blank',
    'A blank was copied along. The platform would search for a name with the blank in it.',
    'Remove the blank.',
  ],
  'other-spelling': [
    'The key has another spelling',
    'The spelling is accepted, but only one of them should be used.',
    'Rename the key as suggested.',
  ],
  'two-spellings': [
    'The key is set under two spellings',
    'Both spellings mean the same setting, so only one value could apply.',
    'Remove the one that the suggestion names.',
  ],
  'no-catalog': [
    'Names were not compared with the destination',
    'Without a catalog, the check does not know which networks, images and sizes the destination has.',
    'Check again while the endpoint can be reached, or capture a catalog and give it to the check.',
  ],
  'other-catalog': [
    'The catalog is from another platform',
    'The catalog was captured from a different plugin and is not used.',
    'Capture a catalog from the destination of this document.',
  ],
  'rule-failed': [
    'A check stopped with a defect',
    'This is a defect of Causeway. The other checks are not affected.',
    'Report the message. Check the setting that it names by hand.',
  ],
} as const satisfies Readonly<Record<string, Row>>;

/** Findings about the description of the VM. */
const vmRows = {
  'no-disks': [
    'The VM has no disks',
    'There is nothing to replicate.',
    'Add each disk with id and size_bytes, or import the VM again.',
  ],
  'repeated-id': [
    'Two disks or NICs have the same id',
    'Mappings could not tell them apart.',
    'Give each disk and each NIC its own id.',
  ],
  'disk-size': [
    'The size of a disk is implausible',
    'Sizes are in bytes. A small number is usually in another unit.',
    'Write the size in bytes.',
  ],
  'memory-size': [
    'The memory size is implausible',
    'Memory is in MB. The number is usually in GiB or in bytes.',
    'Write the memory in MB.',
  ],
  vcpus: [
    'The number of vCPUs is implausible',
    'No platform offers so many to one VM.',
    'Correct the number, or read the VM again.',
  ],
  blank: [
    'A name is blank',
    'The text has no characters but blanks, so nothing can be found by it.',
    'Write the name, or remove the entry.',
  ],
  'mac-address': [
    'The MAC address is not usable',
    'The address is malformed, all zeros, a multicast address, or written in another form.',
    'Write six pairs of hexadecimal digits with colons, or remove the key.',
  ],
  'ip-address': [
    'The IP address is not usable',
    'The address is malformed, or no NIC can have it.',
    'Correct the address, or remove it.',
  ],
  'repeated-address': [
    'An address appears twice',
    'Two NICs have the same MAC address, or the VM has one IP address twice in a network.',
    'Correct the description of the VM.',
  ],
  'guest-not-supported': [
    'The guest operating system is not supported',
    'Guests can be Linux or Windows.',
    'Set os_type to linux or windows if the guest is one of them. Other guests cannot be migrated.',
  ],
  'secure-boot-needs-uefi': [
    'Secure boot needs UEFI',
    'Secure boot is on, but the firmware is BIOS.',
    'Set the firmware to UEFI, or turn secure boot off.',
  ],
  'volume-larger-than-disk': [
    'The volume is larger than the disk',
    'Volumes of the platform have whole GiB, so the size is rounded up.',
    'No action needed. The file systems of the guest keep their size.',
  ],
  'no-uefi': [
    'The platform has no UEFI',
    'The VM starts by UEFI, and the platform only offers BIOS.',
    'Choose another platform, or convert the guest to BIOS before the migration.',
  ],
} as const satisfies Readonly<Record<string, Row>>;

/** Findings about networks and addresses. */
const networkRows = {
  'nic-not-mapped': [
    'A source network is not mapped',
    'The VM has a NIC in a network that network_map does not name.',
    'Add the source network to network_map. Names are compared exactly, including upper and lower case.',
  ],
  'network-form': [
    'The network is not written as <network>/<subnet>',
    'The platform needs both names, separated by a slash.',
    'Write <network>/<subnet>.',
  ],
  'address-outside-network': [
    'A fixed address is outside the mapped network',
    'The address of the NIC is not in a range of the network that it is mapped to.',
    'Map the NIC to a network with that range, or let the platform assign addresses.',
  ],
  'address-reserved': [
    'A fixed address is reserved',
    'The platform uses the address itself, for example for the gateway, DHCP or broadcast.',
    'Map the NIC to another network, or let the platform assign addresses.',
  ],
  'ipv6-dropped': [
    'IPv6 addresses are not kept',
    'Only IPv4 addresses can be preserved.',
    'Plan a new IPv6 address for the VM if it needs one.',
  ],
  'further-addresses': [
    'Only the first address of a NIC is kept',
    'The NIC has several IPv4 addresses.',
    'Add the other addresses in the guest or on the platform after the migration.',
  ],
  'static-address-changes': [
    'A static guest gets a new address',
    'set_dhcp is false, so the guest keeps its static configuration, while the platform assigns other addresses.',
    'Preserve the fixed addresses, or change the addresses in the guest after the migration.',
  ],
  'floating-ip-without-nic': [
    'A floating IP without a NIC',
    'The VM has no NIC that the floating IP could be attached to.',
    'Turn off the floating IP, or add the NIC to the description of the VM.',
  ],
  'floating-ip-pool-missing': [
    'No floating IP pool is named',
    'Without a name, the only external network is used; with several, the deployment fails.',
    'Name the pool.',
  ],
  'worker-fip-pool-missing': [
    'No floating IP pool for workers is named',
    'Without a name, the only external network is used; with several, no worker starts.',
    'Name the pool.',
  ],
  'export-fip-pool-missing': [
    'No floating IP pool for the export worker is named',
    'Without a name, the only external network is used; with several, no worker starts.',
    'Name the pool.',
  ],
} as const satisfies Readonly<Record<string, Row>>;

/** Findings about storage. */
const storageRows = {
  'unknown-disk': [
    'The mapping names a disk that the VM does not have',
    'The disk id is misspelt, or the VM changed since the mapping was written.',
    'Correct the id; the description of the VM lists the disks.',
  ],
  'unknown-backend': [
    'The mapping names a back end that no disk is on',
    'The name is misspelt, or the disks were moved to another datastore.',
    'Correct the name, or remove the entry.',
  ],
  'mapped-twice': [
    'A disk or back end is mapped twice',
    'Only the first matching entry applies.',
    'Remove one of the entries.',
  ],
  'storage-mapping-empty': [
    'The storage mapping is empty',
    'It has none of default, backend_mappings and disk_mappings, so the platform chooses the class.',
    'Add default, or remove the key.',
  ],
  'default-pool-overridden': [
    'The default pool has no effect',
    'storage_mappings.default already decides for unmapped disks.',
    'Remove one of the two.',
  ],
  'storage-account-type': [
    'Unknown storage account type',
    'The name is not one of the types that the platform is known to have.',
    'Correct the name, or keep it if the platform has since added it.',
  ],
  'os-disk-type': [
    'The type cannot hold an OS disk',
    'The platform offers this type for data disks only.',
    'Map the OS disk to another type with an entry in disk_mappings.',
  ],
  'page-blobs': [
    'Disks are replicated to page blobs',
    'A storage account is named. Azure runs no VMs from page blobs any more, so managed disks are made of the blobs when the VM is deployed.',
    'Nothing has to be done. To replicate to managed disks, remove the storage account and its container.',
  ],
  'container-without-account': [
    'A container without a storage account',
    'The container is searched in the account, and none is named.',
    'Name the storage account, or remove the container.',
  ],
  'storage-name-form': [
    'The name of the account or container is not possible',
    'The platform only accepts names of a certain form.',
    'Correct the name as the message describes.',
  ],
  'container-form': [
    'The name of the container is not possible',
    'Object stores limit the length and the characters of container names.',
    'Correct the name as the message describes.',
  ],
  'container-has-no-effect': [
    'The container has no effect',
    'Another export mechanism is chosen.',
    'Remove the key, or choose objectstore_backups.',
  ],
  'attachment-type': [
    'Unknown volume attachment type',
    'The name is not one of the types that the platform is known to have.',
    'Correct the name.',
  ],
  'root-disk-mapped': [
    'The root disk cannot be mapped',
    'The platform attaches the root disk in its own way.',
    'Remove the entry.',
  ],
  'no-distributed-storage': [
    'The endpoint does not know the distributed storage',
    'The export mechanism reads from it directly, and the connection has no access data.',
    'Add the access data to the endpoint, or choose another mechanism.',
  ],
  'disk-bus-overridden': [
    'The disk bus is overridden on the boot volume',
    'The image metadata names another bus, which applies to the boot volume.',
    'No action needed if that is intended. Otherwise remove one of the two.',
  ],
} as const satisfies Readonly<Record<string, Row>>;

/** Findings about workers, their images, sizes and credentials. */
const workerRows = {
  'worker-image-missing': [
    'A worker image is missing',
    'The disk copy worker needs a Linux image. A Windows guest is prepared by a Windows worker if there is an image for it.',
    'Add the image for the operating system in the message.',
  ],
  'worker-incomplete': [
    'Settings of the worker are missing',
    'Temporary workers cannot start without them.',
    'Set the keys here or in a layer that this VM inherits from.',
  ],
  'export-worker-incomplete': [
    'Settings of the export worker are missing',
    'Temporary workers on the source cannot start without them.',
    'Set the keys here or in a layer that this VM inherits from.',
  ],
  'one-image-for-windows': [
    'One image for both workers of a Windows VM',
    'The disk copy worker runs Linux, the preparation worker Windows.',
    'Set migr_image_map with linux and windows.',
  ],
  'image-map-overridden': ['The image map has no effect', 'migr_image overrides it.', 'Remove one of the two.'],
  'retired-image': [
    'The image is out of support',
    'The version of the operating system gets no updates, or soon will not.',
    'Use an image of a supported version. It must be the version of the guest or newer.',
  ],
  'built-in-image-retired': [
    'The built-in image is out of support',
    'No image is set, and the default is an old version.',
    'Set an image of a supported version.',
  ],
  'image-id-form': [
    'This is not a machine image ID',
    'The platform needs the ID; names are not resolved.',
    'Write the ID of the image.',
  ],
  'worker-volume-too-small': [
    'The boot volume of the worker is too small',
    'The worker image needs more space.',
    'Set at least the size in the message, or remove the key.',
  ],
  'worker-disk-too-small': [
    'The disk of the worker flavor is too small',
    'The worker image needs more space, or the flavor has no disk.',
    'Choose a larger flavor, or boot workers from a volume.',
  ],
  'worker-volume-has-no-effect': [
    'Settings of the worker volume have no effect',
    'Workers do not boot from a volume.',
    'Set migr_worker_boot_from_volume, or remove the keys.',
  ],
  'worker-fip-pool-has-no-effect': [
    'The floating IP pool of workers has no effect',
    'Workers get no floating IP.',
    'Set migr_worker_use_fip, or remove the key.',
  ],
  'floating-ip-pool-has-no-effect': [
    'The floating IP pool has no effect',
    'The migrated VM gets no floating IP.',
    'Set use_floating_ip, or remove the key.',
  ],
  'export-volume-has-no-effect': [
    'Settings of the export volume have no effect',
    'Export workers do not boot from a volume.',
    'Set export_worker_boot_from_volume, or remove the keys.',
  ],
  'export-fip-pool-has-no-effect': [
    'The floating IP pool of the export worker has no effect',
    'Export workers get no floating IP.',
    'Set export_worker_use_fip, or remove the key.',
  ],
  'service-backups-options-have-no-effect': [
    'The options of service_backups have no effect',
    'Another export mechanism is chosen.',
    'Remove the options, or choose service_backups.',
  ],
  'instance-type-form': [
    'This is not an instance type',
    'Instance types are written <family>.<size>.',
    'Write the type as in t3.medium.',
  ],
  'previous-generation': [
    'The instance type is of a previous generation',
    'Newer regions do not offer it.',
    'Choose a current type, such as t3.medium.',
  ],
  'template-credentials': [
    'A template and its credentials do not match',
    'A template has no user name or password, or credentials have no template.',
    'Add or remove the entry that the message names.',
  ],
  'plain-text-secret': [
    'A password is in plain text',
    'Anybody who can read the file can read the password.',
    'Put the password into the vault and write {"$secret": "<name>"}. Change the password if others could read the file.',
  ],
} as const satisfies Readonly<Record<string, Row>>;

/** Findings about the migrated VM and about names. */
const serverRows = {
  'windows-needs-machine-type': [
    'A Windows guest needs a machine type',
    'The list of machine types does not show which of them are licensed for Windows.',
    'Set machine_type to a type for Windows.',
  ],
  'no-machine-type-fits': [
    'No machine type is large enough',
    'No type has as many vCPUs and as much memory as the VM.',
    'Set machine_type to a smaller type if that is enough for the VM.',
  ],
  'machine-type-too-small': [
    'The machine type is smaller than the VM',
    'It has fewer vCPUs or less memory than the source.',
    'Choose a larger type, unless the smaller one is intended.',
  ],
  'too-many-disks': [
    'The size takes too few disks',
    'The VM has more data disks than the size can attach.',
    'Choose a larger size.',
  ],
  'size-without-uefi': [
    'The size has no UEFI',
    'The VM starts by UEFI, and the series has no generation 2.',
    'Choose a size with generation 2.',
  ],
  'metadata-contradicts-vm': [
    'The image metadata contradicts the VM',
    'The metadata names another operating system or firmware than the VM has.',
    'Remove the entry; Causeway sets the right value.',
  ],
  'pv-mode-has-no-effect': [
    'Paravirtualized mode has no effect',
    'It only applies to VMs with BIOS firmware.',
    'Remove the key.',
  ],
  'keypair-has-no-effect': [
    'The key pair has no effect',
    'With retain_user_credentials, the guest initialization agent installs no key.',
    'Remove the key pair, or set retain_user_credentials to false.',
  ],
  'network-compartment-has-no-effect': [
    'The network compartment has no effect',
    'It is the same as the compartment.',
    'Remove the key.',
  ],
  'destination-incomplete': [
    'Settings of the destination are missing',
    'A deployment fails without them.',
    'Set the keys here or in a layer that this VM inherits from.',
  ],
  'not-in-catalog': [
    'The destination does not have it',
    'No resource of the destination has this name or ID. It is misspelt, was renamed, or is in another project.',
    'Choose one of the names that the form offers, or capture the catalog again.',
  ],
  'ambiguous-name': [
    'The name is not unique',
    'Several resources of the destination have the same name.',
    'Write the ID in place of the name.',
  ],
  'name-form': [
    'The name is not possible',
    'The platform only accepts names with certain characters and lengths.',
    'Correct the name as the message describes.',
  ],
  'name-length': ['The name is too long', 'The platform limits the length of names.', 'Correct the name.'],
  'keypair-form': [
    'The name of the key pair is not possible',
    'The platform only accepts names with certain characters and lengths.',
    'Correct the name as the message describes.',
  ],
  'project-id-form': [
    'This is not a project ID',
    'The platform needs the ID, a UUID; names are not resolved.',
    'Write the ID of the project.',
  ],
  'identifier-form': [
    'This is not an identifier of the platform',
    'The platform needs the ID; names are not resolved.',
    'Write the ID as the message describes.',
  ],
  'location-form': [
    'The name of the region has another form',
    'Regions are written in lower case without blanks.',
    'Write the name as suggested.',
  ],
  'resource-group-form': [
    'The name of the resource group is not possible',
    'The platform only accepts certain characters, and no path.',
    'Write the name alone.',
  ],
  'size-form': [
    'The name of the size has another form',
    'Sizes are written like Standard_D2s_v5.',
    'Write the name as suggested.',
  ],
  'availability-domain-form': [
    'The availability domain has another form',
    'The ID has a prefix of the tenancy, the region and a number.',
    'Copy the ID from the console of the platform.',
  ],
  'shape-form': [
    'The name of the shape has another form',
    'Shapes are written like VM.Standard2.1.',
    'Copy the name from the console of the platform.',
  ],
  'compartment-form': [
    'The compartment has another form',
    'The platform accepts a name or an ID of a certain form.',
    'Correct the value as the message describes.',
  ],
  'clone-type': [
    'Unknown cloning method',
    'The name is not one of the methods that the platform is known to have.',
    'Correct the name.',
  ],
  'disklib-version': [
    'Unknown version of the source platform',
    'The version is misspelt, or newer than this release of Causeway.',
    'Write <major>.<minor> of the source.',
  ],
  'quiesce-needs-guest-agent': [
    'Quiescing needs the guest agent',
    'File systems are frozen through the guest agent, and its socket is not set.',
    'Set guest_agent_socket, or remove quiesce.',
  ],
  'iso-with-digest': [
    'The address of the ISO has a digest',
    'Only parts of the ISO are read, so the digest cannot be checked.',
    'Remove the part from # on.',
  ],
  'tag-form': [
    'A tag is not possible',
    'The platform refuses the key or the value.',
    'Correct the tag as the message describes.',
  ],
  'tag-as-metadata-alone': [
    'A tag is stored as metadata only',
    'Tags are limited in number, length and characters; metadata is not.',
    'No action needed, unless a search by tag has to find the server.',
  ],
  'label-alphabet': [
    'A label is not possible',
    'The platform refuses the characters or the length of the label.',
    'Correct the label as the suggestion describes.',
  ],
  'label-twice': ['A label appears twice', 'The platform keeps one value per key.', 'Remove one of the two.'],
  'property-form': [
    'A property is changed or refused',
    'Properties are texts, limited in length and characters.',
    'Correct the property as the message describes.',
  ],
} as const satisfies Readonly<Record<string, Row>>;

/** Findings of a check with the platform, shortly before it is used. */
const onlineRows = {
  'online-shape': [
    'The settings cannot be read',
    'A key has the wrong type or form, so the check with the platform was not possible.',
    'Correct the other findings of this VM first, then check again.',
  ],
  'online-name-unknown': serverRows['not-in-catalog'],
  'online-name-ambiguous': serverRows['ambiguous-name'],
  'online-network-not-mapped': networkRows['nic-not-mapped'],
  'online-network-without-subnet': [
    'The network has no subnet',
    'The project does not see a subnet of the network, so ports would get no address.',
    'Map another network, or have the subnet shared with the project.',
  ],
  'online-address-out-of-range': networkRows['address-outside-network'],
  'online-address-reserved': networkRows['address-reserved'],
  'online-address-twice': [
    'Two NICs need the same address',
    'Two NICs of the VM have the same fixed address in one network.',
    'Map the NICs to different networks, or let the platform assign addresses.',
  ],
  'online-address-taken': [
    'A fixed address is in use',
    'Another NIC of the destination network has the address.',
    'Release the address, map another network, or let the platform assign addresses.',
  ],
  'online-no-fixed-address': [
    'The address of a NIC is not known',
    'The source did not report an IPv4 address, so there is none to preserve.',
    'No action needed if the platform may assign one. Otherwise read the VM again while it runs.',
  ],
  'online-ipv6-dropped': networkRows['ipv6-dropped'],
  'online-further-addresses': networkRows['further-addresses'],
  'online-floating-ip-pool': [
    'The floating IP pool cannot be used',
    'No pool has the name, or several external networks exist and none is named.',
    'Name one of the pools in the message.',
  ],
  'online-image-missing': workerRows['worker-image-missing'],
  'online-image-status': [
    'The worker image is not active',
    'The image is still being uploaded, or it is deactivated.',
    'Wait for the image to become active, or choose another one.',
  ],
  'online-image-system': [
    'The worker image is of another operating system',
    'The linux image is a Windows image, or the other way round.',
    'Choose an image of the right operating system.',
  ],
  'online-worker-memory': [
    'The worker has too little memory for its image',
    'The image needs more memory than the size has.',
    'Choose a larger size for workers.',
  ],
  'online-worker-architecture': [
    'Worker image and worker size do not match',
    'One is for arm64, the other for x86_64.',
    'Choose an image and a size of the same architecture.',
  ],
  'online-worker-disk': workerRows['worker-disk-too-small'],
  'online-worker-without-disk': workerRows['worker-disk-too-small'],
  'online-worker-volume-size': workerRows['worker-volume-too-small'],
  'online-flavor-small': serverRows['machine-type-too-small'],
  'online-flavor-none': serverRows['no-machine-type-fits'],
  'online-machine-type-windows': serverRows['windows-needs-machine-type'],
  'online-machine-type-none': serverRows['no-machine-type-fits'],
  'online-machine-type-small': serverRows['machine-type-too-small'],
  'online-disk-too-large': [
    'A disk is larger than a volume can be',
    'The platform or the quota of the project limits the size of volumes.',
    'Have the limit raised, or shrink the disk before the migration.',
  ],
  'online-groups-mixed': [
    'Security groups cannot be combined',
    'Stateful and stateless security groups cannot be on one NIC.',
    'Choose groups of one kind.',
  ],
  'online-label': serverRows['label-alphabet'],
  'online-tag': serverRows['tag-form'],
  'online-debug-key': [
    'The debug key cannot be used',
    'The value is not the Base64 text of an SSH public key.',
    'Encode the whole line of the public key as Base64.',
  ],
  'online-project': [
    'The project cannot be used',
    'The service account has no access to the project, or it does not exist.',
    'Grant the account access, or correct the project ID.',
  ],
  'online-caller-address': [
    'The address of this computer is not known',
    'The ports of workers are opened for this computer only, and its address behind the router is not known.',
    'Set the caller address in the endpoint.',
  ],
  'online-worker-size': [
    'The worker size does not fit',
    'The image does not run on this size, or the size does not take the disks.',
    'Choose another worker_size, or another worker image.',
  ],
  'online-worker-in-turns': [
    'The worker takes fewer disks than the VM has',
    'A size of VMs takes a certain number of data disks. Disks are copied one group after the other; the guest cannot be prepared on such a worker.',
    'Choose a larger worker_size before you deploy.',
  ],
  'online-storage-account': [
    'The storage account cannot be used',
    'The account has no page blobs, or it is in another region than the disks that are made of them.',
    'Name a general-purpose account of the region, or remove storage_account_name and storage_container_name.',
  ],
  'online-resource-group': [
    'The resource group cannot be used',
    'The resource group does not exist, or the account has no rights in it.',
    'Correct the name, or give the account the role that causeway endpoint policy prints.',
  ],
  'online-resource-group-region': [
    'The resource group is in another region',
    'Resources may be in another region than their group, but the group cannot be changed while its own region is unavailable.',
    'Choose a resource group of the region, or accept this.',
  ],
  'online-os-disk-type': [
    'The disk type cannot hold an operating system',
    'The platform does not start VMs from disks of this type.',
    'Map the storage of the first disk to another type.',
  ],
  'online-zone': [
    'The disk type is not available in the zone',
    'The region does not offer the type of disk in the availability zone of the VM.',
    'Choose another type, another zone, or no zone.',
  ],
  'online-size-restricted': [
    'The size is not available to the subscription',
    'The platform restricts the size for this subscription, in the region or in the zone.',
    'Choose another size, or ask the platform to lift the restriction.',
  ],
  'online-size-does-not-fit': [
    'The size does not fit the VM',
    'The number of disks or NICs, the generation, the architecture or the disk types of the VM are more than the size allows.',
    'Choose a size that meets what the message names.',
  ],
  'online-compartment': [
    'The compartment cannot be used',
    'The compartment does not exist, or the user has no rights in it.',
    'Correct the name or ID, or give the user the rights that causeway endpoint policy prints.',
  ],
  'online-group-of-other-vcn': [
    'A security group is of another network',
    'A network security group applies only to NICs of its own virtual cloud network.',
    'Choose a group of the network of the subnet.',
  ],
  'online-no-public-addresses': [
    'The subnet has no public addresses',
    'The subnet prohibits public addresses, and the first NIC must get one.',
    'Map the first NIC to another subnet, or turn set_public_ip off.',
  ],
  'online-shape-architecture': [
    'The shape has another processor architecture',
    'The VM is built for x86_64, and the shape has ARM processors.',
    'Choose a shape with x86 processors.',
  ],
  'online-shape-small': serverRows['machine-type-too-small'],
  'online-shape-too-small': [
    'The VM does not fit the shape',
    'The flexible shape cannot have as many processors or as much memory as the VM.',
    'Choose a larger shape.',
  ],
  'online-no-uefi': vmRows['no-uefi'],
  'online-too-many-disks': [
    'The VM has more disks than an instance takes',
    'The platform attaches a fixed number of volumes to an instance.',
    'Merge disks of the VM before the migration, or choose another platform.',
  ],
  'online-os-label': [
    'The manager does not know the operating system',
    'The label is not one of the operating systems that the manager offers for VMs.',
    'Choose one of those that the message names, or remove os_label.',
  ],
  'online-disk-count': [
    'Some disks are seen with Xen drivers only',
    'The platform emulates a few disks. Further disks are found only by a guest with drivers for Xen.',
    'Prepare the guest in the deployment, or install the drivers before the migration.',
  ],
  'online-too-many-nics': [
    'The VM has more NICs than an instance takes',
    'The platform gives an instance a fixed number of network interfaces.',
    'Remove NICs from the VM, or choose another platform.',
  ],
  'online-key-disabled': [
    'The key pair is disabled',
    'The platform does not install a disabled key on instances.',
    'Enable the key, or choose another one.',
  ],
  'online-shape-vnics': [
    'The shape has too few VNICs',
    'The number of network interfaces depends on the shape, and for a flexible shape on its processors.',
    'Choose a larger shape, or remove NICs.',
  ],
  'online-parameter-missing': workerRows['worker-incomplete'],
  'online-quota': [
    'The quotas of the project are too small',
    'The worker, the volumes or the server need more than the project may still use.',
    'Have the quotas in the message raised, or delete resources that are no longer needed.',
  ],
} as const satisfies Readonly<Record<string, Row>>;

/** By areas, in the order of the manual. */
export const findingAreas = {
  'Text of a file': fileRows,
  'Keys and values': shapeRows,
  'The VM': vmRows,
  'Networks and addresses': networkRows,
  Storage: storageRows,
  Workers: workerRows,
  'Migrated VM and names': serverRows,
  'Checks with the platform': onlineRows,
} as const;

const all = new Map<string, Row>(Object.values(findingAreas).flatMap((rows) => Object.entries<Row>(rows)));

/** The name of a rule without its plugin or area: findings of the same name mean the same everywhere. */
export function findingName(rule: string): string {
  return rule.slice(rule.indexOf('/') + 1);
}

/** What the manual says of a finding's rule; undefined for one that it does not know. */
export function findingText(rule: string): FindingText | undefined {
  const row = all.get(findingName(rule));
  return row === undefined ? undefined : { title: row[0], cause: row[1], remedy: row[2] };
}
