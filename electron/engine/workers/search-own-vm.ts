import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { ownVmEvidenceText, type OwnVmEvidence } from '../../../shared/model/own-vm-evidence.ts';
import type { OwnVmSearch } from '../../../shared/model/own-vm.ts';
import type { OwnVmAccess, ThisComputer } from '../ports/own-vm.ts';

/** What a search asks of a platform. */
export type OwnVmLookUp = Pick<OwnVmAccess, 'check' | 'hints'>;

/** Which VMs of a cloud this computer says that it is, each checked with the cloud. */
export async function searchOwnVm(ownVm: OwnVmLookUp, here: ThisComputer, signal: AbortSignal): Promise<OwnVmSearch> {
  const evidence = new Map<string, OwnVmEvidence[]>();
  for (const { vmId, by } of (await ownVm.hints?.(here, signal)) ?? [])
    evidence.set(vmId, [...(evidence.get(vmId) ?? []), by]);
  const search: OwnVmSearch = { found: [], refused: [] };
  for (const [vmId, by] of evidence) {
    try {
      search.found.push({ vmId, vmName: (await ownVm.check({}, vmId, signal)).name, by });
    } catch (error) {
      if (
        !(error instanceof CausewayError) ||
        !['engine.own-vm-unusable', 'cloud.permission-denied'].includes(error.code)
      )
        throw error;
      search.refused.push({
        vmId,
        why:
          error.code === 'cloud.permission-denied'
            ? `the account may not read VM ${vmId} (${error.message})`
            : error.message,
        by,
      });
    }
  }
  return search;
}

/** The VM that everything names which says anything. @throws `engine.own-vm-not-found`, `engine.own-vm-unclear` */
export function onlyOne({ found, refused }: OwnVmSearch): OwnVmSearch['found'][number] {
  // A computer of any sort has a product UUID: by itself, it tells of a VM only if the cloud has that.
  const doubts = refused.filter(({ by }) => by.some((each) => each !== 'product-uuid') || found.length > 0);
  const said = [...found.map(namedText), ...doubts.map(({ why, by }) => `${why}, named by ${ownVmEvidenceText(by)}`)];
  const details = { found: found.map(({ vmId }) => vmId), refused: doubts.map(({ vmId }) => vmId) };
  const [one] = found;
  if (one === undefined)
    throw new CausewayError(
      'engine.own-vm-not-found',
      said.length === 0 ? 'neither a metadata service nor the firmware names a VM of this cloud' : said.join('; '),
      { details },
    );
  if (said.length > 1) throw new CausewayError('engine.own-vm-unclear', said.join('; '), { details });
  return one;
}

/**
 * Whether this computer itself says that it is a VM, and no other one.
 *
 * @throws `engine.own-vm-mismatch` where it names only others that the cloud has
 */
export async function isNamedHere(
  ownVm: OwnVmLookUp,
  here: ThisComputer,
  vmId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { found } = await searchOwnVm(ownVm, here, signal);
  // A cloud may spell one id in several ways.
  const others = found.filter((one) => one.vmId.toLowerCase() !== vmId.toLowerCase());
  if (others.length > 0 && others.length === found.length)
    throw new CausewayError(
      'engine.own-vm-mismatch',
      `this computer is VM ${others.map(namedText).join(', or VM ')}, and not ${vmId}`,
      { details: { vmId, found: others.map((one) => one.vmId) } },
    );
  return found.length > 0 && others.length === 0;
}

const namedText = ({ vmId, vmName, by }: OwnVmSearch['found'][number]): string =>
  `${vmName} (${vmId}, by ${ownVmEvidenceText(by)})`;
