import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject } from '../../../../shared/model/json.ts';
import { virtioIsoUrl } from '../../../../shared/plugins/european-cloud/leaves.ts';
import { windowsGuestAgentUrl } from '../../../../shared/plugins/european-cloud/provider-configuration.ts';
import { fetchedFrom } from '../fetched-from.ts';
import type { Fetched, WindowsMaterial } from '../options.ts';

/** `offline`: by the Linux worker from outside. `worker`: by a Windows worker over WinRM. */
export type WindowsMode = 'offline' | 'worker';

/** As asked; else by a Windows worker when the environment names an image for one. */
export function windowsModeOf(asked: WindowsMode | undefined, environment: JsonObject): WindowsMode {
  const images = environment['migr_image_map'];
  return asked ?? (isJsonObject(images) && typeof images['windows'] === 'string' ? 'worker' : 'offline');
}

/**
 * What the environment says of drivers and agent, or their public places; files of this machine go before. The agent's URL
 * may end with `#sha256=` and the digest that it must have.
 *
 * @throws `general.invalid-input` for such an ending that is no digest, or at the disc, of which only parts may be read
 */
export function windowsMaterial(environment: JsonObject, files: { readonly virtioDisc?: string | undefined; readonly initAgent?: string | undefined }): WindowsMaterial {
  return {
    virtioDisc: undigested(fetched(files.virtioDisc, environment['windows_virtio_iso_url'], virtioIsoUrl)),
    initAgent: fetched(files.initAgent, environment['winguestinit_x64_url'], windowsGuestAgentUrl),
  };
}

function fetched(file: string | undefined, url: unknown, builtIn: string): Fetched {
  if (file !== undefined) return { file };
  return fetchedFrom(typeof url === 'string' && url !== '' ? url : builtIn);
}

function undigested(disc: Fetched): Fetched {
  if (!('sha256' in disc)) return disc;
  throw new CausewayError('general.invalid-input', 'windows_virtio_iso_url ends with a digest, which cannot be checked: only parts of the disc are read');
}
