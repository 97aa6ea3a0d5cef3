import type { SampleState } from '../../shared/contract/shell.ts';
import { toErrorRecord } from '../../shared/model/causeway-error.ts';
import type { SampleLab, SampleProject } from './sample-lab.ts';

/** The sample as the workbench offers it: one lab at a time, started once, opened as often as one likes. */
export interface SampleOffer {
  state(): SampleState;
  /** Starts the lab if it is not running, and opens its project when it is up. Resolves immediately. */
  open(): void;
  end(): Promise<void>;
}

interface Options {
  readonly lab: SampleLab;
  /** Opens the project and its vault. */
  readonly openProject: (sample: SampleProject) => Promise<void>;
  readonly onChange: () => void;
}

export function sampleOffer({ lab, openProject, onChange }: Options): SampleOffer {
  let state: SampleState = { state: 'offered' };
  let sample: SampleProject | undefined;
  const set = (next: SampleState): void => {
    state = next;
    onChange();
  };
  const fail = (error: unknown): void => {
    if (state.state === 'offered') return;
    set({ state: 'failed', error: toErrorRecord(error) });
  };

  async function start(): Promise<void> {
    set({ state: 'starting', line: '' });
    sample = await lab.start((line) => state.state === 'starting' && set({ state: 'starting', line }));
    set({ state: 'running', project: sample.project });
    await openProject(sample);
  }

  return {
    state: () => state,
    open() {
      if (state.state === 'starting') return;
      if (state.state === 'running' && sample !== undefined) openProject(sample).catch(fail);
      else start().catch(fail);
    },
    async end() {
      sample = undefined;
      set({ state: 'offered' });
      await lab.stop();
    },
  };
}
