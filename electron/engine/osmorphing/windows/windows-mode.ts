import { virtioIsoUrl } from '../../../../shared/plugins/european-cloud/fields.ts';
import { windowsGuestAgentUrl } from '../../../../shared/plugins/european-cloud/provider-configuration.ts';
import type { RunPolicy } from '../../ports/run-policy.ts';
import { artifactLocation, programLocation } from '../artifact-location.ts';
import type { Fetched, WindowsMaterial } from '../options.ts';

/** `offline`: by the Linux worker from outside. `worker`: by a Windows worker over WinRM. */
export type WindowsMode = 'offline' | 'worker';

/** As asked; else by a Windows worker when there is an image for one, and no volume to be unlocked, which only the Linux worker does. */
export function windowsModeOf(
  asked: WindowsMode | undefined,
  { hasWindowsWorkerImage }: Pick<RunPolicy, 'hasWindowsWorkerImage'>,
  hasKeys: boolean,
): WindowsMode {
  return asked ?? (hasWindowsWorkerImage && !hasKeys ? 'worker' : 'offline');
}

/**
 * What the environment says of drivers and agent, or their public places; files of this machine go before. A URL
 * may end with `#sha256=` and the digest that the download must have; a disc with one is read as a whole.
 *
 * @throws `general.invalid-input` for such an ending that is no digest, and for an agent behind http:// without one
 */
export function windowsMaterial(
  policy: Partial<Pick<RunPolicy, 'windowsDriversUrl' | 'windowsAgentUrl' | 'diskBuses'>>,
  files: { readonly virtioDisc?: string | undefined; readonly initAgent?: string | undefined },
): WindowsMaterial {
  // Drivers for Xen are in no public place.
  const hasDisc =
    !isXenAlone(policy.diskBuses) || files.virtioDisc !== undefined || policy.windowsDriversUrl !== undefined;
  return {
    ...(hasDisc
      ? { virtioDisc: fetched(files.virtioDisc, policy.windowsDriversUrl, virtioIsoUrl, artifactLocation) }
      : {}),
    initAgent: fetched(files.initAgent, policy.windowsAgentUrl, windowsGuestAgentUrl, programLocation),
  };
}

/** Whether disks are Xen's and nothing else. */
export const isXenAlone = (buses: readonly string[] | undefined): boolean => buses?.length === 1 && buses[0] === 'xen';

function fetched(
  file: string | undefined,
  url: string | undefined,
  builtIn: string,
  from: (place: string) => Fetched,
): Fetched {
  if (file !== undefined) return { file };
  return from(url ?? builtIn);
}
