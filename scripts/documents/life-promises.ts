/** A promise, and the titles of tests that fail when it is broken. */
export interface Promised {
  readonly promise: string;
  readonly tests: readonly string[];
}

/** What is promised of rehearsal, cut-over, roll-back and evidence. */
export const lifePromises: Readonly<Record<string, readonly Promised[]>> = {
  'Cut-over and evidence': [
    {
      promise:
        'Any change, deletion, reordering, insertion or truncation of the evidence is found, and a kill in the middle of a write loses no confirmed entry.',
      tests: [
        'shows any change, deletion, reordering, insertion and truncation',
        'keeps every confirmed entry and stays verifiable when the process ends anywhere in a write',
        'verifies with sha256sum and the documented lines of Python, which find a change',
      ],
    },
    {
      promise:
        'A cut-over is rolled back until it is finalised, also a failed one: the deployed VM goes, the source starts, the replica stays.',
      tests: [
        'a failed check fails the cut-over, which is rolled back: the VM is deleted, the source started, the replica kept',
        'a VM that runs at its destination is rolled back until it is finalised, and an interrupted roll-back is carried on',
      ],
    },
    {
      promise:
        'A rehearsal meets no network that the VM is meant for, and ends by itself, also when the engine was off meanwhile.',
      tests: [
        'a rehearsal comes into no network that the VM is meant for, and expired ones are deleted by the engine that is opened later',
      ],
    },
  ],
};
