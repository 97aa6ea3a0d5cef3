import type { EndpointTrust, Reached, TrustReport } from '../../../shared/model/trust.ts';

const states: Readonly<Record<EndpointTrust['state'], string>> = {
  accepted: 'trusted',
  new: 'NOT TRUSTED',
  changed: 'CHANGED, the accepted connection stays in use',
  missing: 'no connection on this computer',
  locked: 'trusted (unlock the vault to see its connection)',
};

/** What a project reaches, for the terminal. Control characters of the files are made visible: they must not redraw it. */
export function trustText({ isAccepted, folder, endpoints, environments, pending }: TrustReport): string {
  const lines = [
    `Project ${printable(folder)}: ${isAccepted ? 'trusted on this computer' : 'NOT TRUSTED on this computer'}`,
  ];
  for (const { name, plugin, state, reaches, changes, problems } of endpoints) {
    lines.push('', `${printable(name)} (${plugin}): ${states[state]}`);
    if (state === 'changed')
      for (const { label, from, to } of changes)
        lines.push(`  ${printable(label)}: ${printable(from ?? '(none)')} -> ${printable(to ?? '(none)')}`);
    else lines.push(...reaches.map(reachedLine));
    for (const problem of problems) lines.push(`  cannot be accepted: ${printable(problem)}`);
  }
  if (environments.length > 0) lines.push('', 'Environments');
  for (const { isAccepted: isKnown, replicas, ...reached } of environments)
    lines.push(
      `${reachedLine(reached)} (${printable(replicas.slice(0, 3).join(', '))}${replicas.length > 3 ? ` and ${replicas.length - 3} more` : ''})${isKnown ? '' : ' NOT TRUSTED'}`,
    );
  lines.push('', pending === 0 && isAccepted ? 'Everything is accepted.' : `${pending} to accept.`);
  return `${lines.join('\n')}\n`;
}

function reachedLine({ kind, label, value }: Reached): string {
  return `  ${printable(label)}: ${kind === 'secret' ? `secret ${printable(value)}` : printable(value)}`;
}

function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
}
