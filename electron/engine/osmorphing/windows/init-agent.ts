/** The guest initialization agent (Cloudbase-Init) as it is set up in prepared guests. */

/** Where it goes in the guest. */
export const initAgentFolder = 'C:\\Cloudbase-Init';

const accountPlugins = [
  'windows.createuser.CreateUserPlugin',
  'common.setuserpassword.SetUserPasswordPlugin',
  'common.sshpublickeys.SetUserSSHPublicKeysPlugin',
] as const;
const plugins = [
  'common.mtu.MTUPlugin',
  'windows.ntpclient.NTPClientPlugin',
  'common.sethostname.SetHostNamePlugin',
  'common.networkconfig.NetworkConfigPlugin',
  'windows.licensing.WindowsLicensingPlugin',
  'windows.sanpolicy.SANPolicyPlugin',
  'windows.extendvolumes.ExtendVolumesPlugin',
  'common.userdata.UserDataPlugin',
  ...accountPlugins,
  'common.localscripts.LocalScriptsPlugin',
] as const;
/** The last one is there always: without any service no script of the first boot would run, not even that which sets a fixed address. */
const metadataServices: readonly string[] = [
  'httpservice.HttpService',
  'configdrive.ConfigDriveService',
  'base.EmptyMetadataService',
];
const azureServices: readonly string[] = ['azureservice.AzureService', 'base.EmptyMetadataService'];

export interface InitAgentWishes {
  /** The agent leaves accounts and their passwords alone. */
  readonly retainUserCredentials: boolean;
  /** False: addresses are the guest's own matter. */
  readonly setDhcp: boolean;
  /** The guest keeps its name, regardless of the server's name. */
  readonly preserveHostname: boolean;
  /** cloud-init's names of where the destination has its metadata. */
  readonly datasources?: readonly string[] | undefined;
}

/** Content of its configuration file. */
export function initAgentConfiguration({
  retainUserCredentials,
  setDhcp,
  preserveHostname,
  datasources = [],
}: InitAgentWishes): string {
  const services = datasources.includes('Azure') ? azureServices : metadataServices;
  const leftOut = new Set<string>([
    ...(retainUserCredentials ? accountPlugins : []),
    ...(setDhcp ? [] : ['common.networkconfig.NetworkConfigPlugin']),
    ...(preserveHostname ? ['common.sethostname.SetHostNamePlugin'] : []),
  ]);
  const accounts = retainUserCredentials
    ? []
    : ['username=Admin', 'groups=Administrators', 'inject_user_password=true', 'first_logon_behaviour=no'];
  return [
    '[DEFAULT]',
    ...accounts,
    'config_drive_raw_hhd=true',
    'config_drive_cdrom=true',
    'config_drive_vfat=true',
    `bsdtar_path=${initAgentFolder}\\Bin\\bsdtar.exe`,
    `mtools_path=${initAgentFolder}\\Bin`,
    'verbose=true',
    'debug=false',
    `logdir=${initAgentFolder}\\Log`,
    'logfile=cloudbase-init.log',
    'logging_serial_port_settings=COM1,115200,N,8',
    `local_scripts_path=${initAgentFolder}\\LocalScripts`,
    'stop_service_on_exit=false',
    'allow_reboot=true',
    'check_latest_version=false',
    'mtu_use_dhcp_config=true',
    'san_policy=OnlineAll',
    `metadata_services=${services.map((name) => `cloudbaseinit.metadata.services.${name}`).join(',')}`,
    `plugins=${plugins
      .filter((name) => !leftOut.has(name))
      .map((name) => `cloudbaseinit.plugins.${name}`)
      .join(',')}`,
    '',
  ].join('\r\n');
}
