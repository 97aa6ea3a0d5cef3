import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { SshKeyPair } from '../ssh-keys/ed25519-key-pair.ts';

export const workerUser = 'causeway';

/**
 * Rules by which a Linux worker would start using a volume as soon as it is attached: assembling RAID, activating LVM. A
 * device in use can't be written as a whole, so that they are masked by empty files of the same names.
 */
const maskedUdevRules = [
  '64-md-raid-assembly.rules',
  '65-md-incremental.rules',
  '69-dm-lvm.rules',
  '69-lvm.rules',
  '69-dm-lvm-metad.rules',
  '69-lvm-metad.rules',
];

/**
 * Cloud-init's user data of a Linux worker: one account that opens for our key alone, and a host key made here, so that
 * the first connection can already be sure of the worker. JSON is YAML, and needs no quoting rules of its own.
 */
export function linuxWorkerUserData(keys: {
  readonly account: SshKeyPair;
  readonly host: SshKeyPair;
  readonly debugPublicKey?: string | undefined;
}): string {
  const config = {
    users: [
      {
        name: workerUser,
        gecos: 'Causeway worker',
        sudo: 'ALL=(ALL) NOPASSWD:ALL',
        shell: '/bin/sh',
        lock_passwd: true,
        ssh_authorized_keys: [
          `${keys.account.publicKey} causeway`,
          ...(keys.debugPublicKey === undefined ? [] : [keys.debugPublicKey]),
        ],
      },
    ],
    // sudo looks its host's name up; where no name server answers, each call would wait for one.
    manage_etc_hosts: true,
    ssh_pwauth: false,
    disable_root: true,
    ssh_deletekeys: true,
    ssh_keys: { ed25519_private: keys.host.privateKeyPem, ed25519_public: `${keys.host.publicKey} causeway` },
    package_update: false,
    package_upgrade: false,
    write_files: maskedUdevRules.map((name) => ({
      path: `/etc/udev/rules.d/${name}`,
      content: '# Masked: attached volumes stay untouched on this worker.\n',
    })),
  };
  return `#cloud-config\n${JSON.stringify(config, undefined, 1)}\n`;
}

/** The debug key that a parameter has, as one line of `authorized_keys`. @throws `general.invalid-input` when it is none. */
export function decodeDebugKey(base64: string | undefined, parameter: string): string | undefined {
  if (base64 === undefined) return undefined;
  const line = Buffer.from(base64, 'base64').toString('utf8').trim();
  if (
    !/^(ssh-(rsa|ed25519)|ecdsa-sha2-nistp(256|384|521)|sk-[a-z0-9-]+@openssh\.com) [A-Za-z0-9+/]+={0,3}( [^\n]*)?$/.test(
      line,
    )
  ) {
    throw new CausewayError('general.invalid-input', `${parameter}: must be one SSH public key in Base64`, {
      details: { parameter },
    });
  }
  return line;
}
