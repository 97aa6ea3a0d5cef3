/** What says which VM a computer is: the cloud's metadata service, what cloud-init has kept of that or of a configuration drive, or the firmware. */
export const ownVmEvidence = ['metadata-service', 'cloud-init', 'product-uuid'] as const;
export type OwnVmEvidence = (typeof ownVmEvidence)[number];

const evidenceWords: Readonly<Record<OwnVmEvidence, string>> = {
  'metadata-service': 'the metadata service',
  'cloud-init': 'cloud-init',
  'product-uuid': 'the product UUID',
};

/** `the metadata service and the product UUID`. */
export function ownVmEvidenceText(by: readonly OwnVmEvidence[]): string {
  return by.map((each) => evidenceWords[each]).join(' and ');
}
