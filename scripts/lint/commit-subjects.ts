// Part of `npm run lint`: subjects of the commits that follow the one from which on the rule is kept (CONTRIBUTING.md).
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(import.meta.dirname, '..', '..');
/** Earlier subjects were longer; they stay as they are. */
const since = '465dab469db52fcd0ff3271eafc378854da69eeb';
const longest = 72;
/** Forms of verbs that say what was done, or is being done, instead of what the commit does. */
const notImperative = /^(\w+(?:ed|ing)|Adds|Fixes|Makes|Removes|Changes|Updates)\s/;
/** They end like a past tense and are none. */
const imperative = /^(Embed|Feed|Need|Seed|Shed|Speed|Bring|String|Ring)\s/;

/** What is wrong with a commit's subject, in words; undefined when nothing is. */
export function complaintOf(subject: string): string | undefined {
  if (/^(Merge|Revert) /.test(subject)) return undefined;
  if (subject.length > longest)
    return `${subject.length} characters instead of at most ${longest}: the reason belongs into the body`;
  if (!/^[A-Z]/.test(subject)) return 'begins with a small letter';
  if (subject.endsWith('.')) return 'ends with a full stop';
  if (notImperative.test(subject) && !imperative.test(subject))
    return 'is not in the imperative: "Add …", not "Added …"';
  return undefined;
}

/** Subjects with a complaint, one line each; none where this is no clone, or one without the earlier commits. */
export function complaintsOfNewCommits(folder = root): string[] {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
  if (git('cat-file', '-e', `${since}^{commit}`).status !== 0) return [];
  const { stdout } = git('log', '--no-merges', '--format=%h %s', `${since}..HEAD`);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const complaint = complaintOf(line.slice(line.indexOf(' ') + 1));
      return complaint === undefined ? [] : [`${line}: ${complaint}`];
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const complaints = complaintsOfNewCommits();
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = complaints.length === 0 ? 0 : 1;
}
