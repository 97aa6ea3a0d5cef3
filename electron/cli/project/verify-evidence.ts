import { existsSync } from 'node:fs';
import type { EvidenceHead } from '../../../shared/model/evidence.ts';
import { sealOf } from '../../../shared/reports/seal.ts';
import { headFileOf, readHead } from '../../engine/evidence/journal.ts';
import { sha256, verifyJournal, type VerifiedJournal } from '../../engine/evidence/verify-journal.ts';
import { UsageError } from '../command-context.ts';
import { readInputFile, readInputText } from './read-files.ts';

export interface VerifiedFile {
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  readonly entries?: number;
  readonly head?: string;
}

/** Verifies a journal or a report, told apart by their beginning. Everything in the files is untrusted. @throws UsageError */
export function verifyEvidenceFile(
  file: string,
  options: { readonly head?: string | undefined; readonly journal?: string | undefined },
): VerifiedFile {
  const bytes = readInputFile(file);
  const isReport = Buffer.from(bytes.subarray(0, 200))
    .toString('latin1')
    .trimStart()
    .toLowerCase()
    .startsWith('<!doctype html');
  if (isReport) return verifyReport(bytes, options);
  const { verified, notes } = journalOf(file, bytes, options.head);
  return { problems: verified.problems, notes, entries: verified.count, head: verified.head };
}

function verifyReport(
  bytes: Uint8Array,
  options: { readonly head?: string | undefined; readonly journal?: string | undefined },
): VerifiedFile {
  const html = Buffer.from(bytes).toString('utf8');
  const seal = sealOf(html);
  if (seal === undefined) return { problems: ['the report has no seal, or something follows it'], notes: [] };
  const problems = sha256(seal.sealed) === seal.sha256 ? [] : ['the report is not what was sealed'];
  if (options.journal === undefined) {
    return {
      problems,
      notes: [
        'only the seal was verified. Whoever changes a report can seal it again: compare it with the journal (--journal)',
      ],
      head: seal.head,
    };
  }
  const { verified, notes } = journalOf(options.journal, readInputFile(options.journal), options.head);
  problems.push(...verified.problems.map((problem) => `journal: ${problem}`));
  const recorded = verified.entries.find(({ kind, data }) => kind === 'report' && data['sha256'] === sha256(bytes));
  if (recorded === undefined) problems.push('the journal has no record of this report as it is');
  else if (!verified.digests.slice(0, recorded.n - 1).includes(seal.head))
    problems.push('the head that the report names is not in the journal before its record');
  return { problems, notes, entries: verified.count, head: verified.head };
}

function journalOf(
  file: string,
  bytes: Uint8Array,
  given: string | undefined,
): { readonly verified: VerifiedJournal; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const head = headOf(file, given);
  if (head === undefined) notes.push('no head was given: entries that are missing at the end are not noticed (--head)');
  let verified = typeof head === 'string' ? verifyJournal(bytes, undefined) : verifyJournal(bytes, head);
  if (typeof head === 'string' && verified.head !== head) {
    const at = verified.digests.indexOf(head);
    verified = {
      ...verified,
      problems: [
        ...verified.problems,
        at < 0
          ? 'no entry has the digest that was given'
          : `the digest that was given is that of entry ${at + 1} of ${verified.count}`,
      ],
    };
  }
  if (verified.count === 0) verified = { ...verified, problems: [...verified.problems, 'the file has no entry'] };
  if (verified.unfinished) notes.push('the last write was interrupted; every confirmed entry is there');
  return { verified, notes };
}

/** @throws UsageError when what was named is not there or is no head */
function headOf(file: string, given: string | undefined): EvidenceHead | string | undefined {
  if (given !== undefined && /^[0-9a-f]{64}$/.test(given)) return given;
  const path = given ?? headFileOf(file);
  if (given === undefined && !existsSync(path)) return undefined;
  readInputText(path);
  const head = readHead(path);
  if (head === undefined) throw new UsageError(`${path}: not the head of a journal`);
  return head;
}
