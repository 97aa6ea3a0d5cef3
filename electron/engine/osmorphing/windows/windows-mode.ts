import { isJsonObject, type JsonObject } from '../../../../shared/model/json.ts';
import { virtioIsoUrl } from '../../../../shared/plugins/european-cloud/leaves.ts';
import { windowsGuestAgentUrl } from '../../../../shared/plugins/european-cloud/provider-configuration.ts';
import type { Fetched, WindowsMaterial } from '../options.ts';

/** `offline`: by the Linux worker from outside. `worker`: by a Windows worker over WinRM. */
export type WindowsMode = 'offline' | 'worker';

/** As asked; else by a Windows worker when the environment names an image for one. */
export function windowsModeOf(asked: WindowsMode | undefined, environment: JsonObject): WindowsMode {
  const images = environment['migr_image_map'];
  return asked ?? (isJsonObject(images) && typeof images['windows'] === 'string' ? 'worker' : 'offline');
}

/** What the environment says of drivers and agent, or their public places; files of this machine go before. */
export function windowsMaterial(environment: JsonObject, files: { readonly virtioDisc?: string | undefined; readonly initAgent?: string | undefined }): WindowsMaterial {
  return {
    virtioDisc: fetched(files.virtioDisc, environment['windows_virtio_iso_url'], virtioIsoUrl),
    initAgent: fetched(files.initAgent, environment['winguestinit_x64_url'], windowsGuestAgentUrl),
  };
}

function fetched(file: string | undefined, url: unknown, builtIn: string): Fetched {
  if (file !== undefined) return { file };
  return { url: typeof url === 'string' && url !== '' ? url : builtIn };
}
