import type { Deployment } from '../../../../shared/model/deployment.ts';
import type { EvidenceKind } from '../../../../shared/model/evidence.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { LifeRecord, LifeRecordKind } from '../../../../shared/model/machine-life.ts';
import type { EvidenceJournal } from '../../evidence/journal.ts';

/** What the calls of the core record of VMs. */
export interface EvidenceRecorder {
  /** Who works here, as entries name them. */
  readonly me: string;
  /** Opened when it is first needed. */
  journal(): EvidenceJournal;
  /** Records everything since the journal was begun that is not in it yet: after a process was killed. Never throws. */
  reconcile(): void;
  /** Records a run that has just ended. Never throws. */
  runEnded(run: { readonly executionId?: string | undefined; readonly deploymentId?: string | undefined }): void;
  deploymentDeleted(deployment: Deployment, why: string): void;
  /** A record of the store, and its entry. */
  life(
    replica: { readonly id: string; readonly name: string },
    kind: LifeRecordKind,
    by: string | undefined,
    details: JsonObject,
  ): LifeRecord;
  append(
    kind: EvidenceKind,
    replica: { readonly id: string; readonly name: string } | undefined,
    data: JsonObject,
    by?: string,
  ): void;
}
