import type { BootReport, DeploymentDetail, GuestReport } from '../../../shared/model/deployment.ts';
import { taskTable, took } from './execution-text.ts';
import { duration, moment, pairs, table } from './print.ts';
import { problemText } from './problem-text.ts';
import { runState } from './run-state.ts';

/** A deployment for people: what it made, what it did to the guest, how the guest booted. */
export function deploymentText(deployment: DeploymentDetail): string {
  const { server, guest, boot, resources } = deployment;
  const parts = [
    pairs({
      deployment: deployment.id,
      replica: deployment.replicaName,
      number: deployment.number,
      state: deployment.kept ? `${deployment.state}, kept for troubleshooting` : runState(deployment),
      started: moment(deployment.startedAt),
      ended: moment(deployment.finishedAt),
      took: took(deployment.startedAt, deployment.finishedAt),
      server: server === undefined ? undefined : `${server.name} (${server.id})`,
      addresses: server === undefined ? undefined : server.addresses.join(', '),
      executions: deployment.executionIds.length === 0 ? undefined : deployment.executionIds.join(', '),
    }),
    taskTable(deployment.tasks),
  ];
  if (guest !== undefined) parts.push(guestText(guest));
  if (boot !== undefined) parts.push(bootText(boot));
  if (resources.length > 0) {
    parts.push(
      table(
        ['resource', 'id', 'name', 'state'],
        resources.map((item) => [item.kind, item.resourceId, item.name, item.state]),
      ),
    );
  }
  const problem = problemText(deployment);
  if (problem !== '') parts.push(problem);
  return parts.join('\n');
}

function guestText({ dossier, steps, diff, warnings, scripts, seconds }: GuestReport): string {
  const changes = [
    ...diff.files.added.map((file) => `+ ${file.path}`),
    ...diff.files.removed.map((file) => `- ${file.path}`),
    ...diff.files.changed.flatMap((file) => [`~ ${file.path}`, ...(file.lines ?? []).map((line) => `    ${line}`)]),
    ...named('package', diff.packages),
    ...diff.services.enabled.map((service) => `+ service ${service}`),
    ...diff.services.disabled.map((service) => `- service ${service}`),
    ...named('user', diff.users),
    ...named('ssh', diff.sshPolicy),
    ...named('host key', diff.sshHostKeys),
  ];
  return [
    pairs({
      guest: `${dossier.name} (${dossier.architecture}, ${dossier.firmware}, ${dossier.bootloader})`,
      hostname: dossier.hostname,
      prepared: duration(seconds),
    }),
    table(
      ['step', 'changed', 'took'],
      steps.map((step) => [step.title, step.changed ? 'yes' : 'no', duration(step.seconds)]),
    ),
    ...warnings.map((warning) => `warning: ${warning}\n`),
    ...scripts.map((script) => `script ${script.script} exited with ${script.exitCode}\n`),
    ...changes.map((line) => `${line}\n`),
  ].join('');
}

function named(
  what: string,
  changes: { readonly added: object; readonly removed: object; readonly changed: object },
): string[] {
  const lines = (sign: string, names: object): string[] => Object.keys(names).map((name) => `${sign} ${what} ${name}`);
  return [...lines('+', changes.added), ...lines('-', changes.removed), ...lines('~', changes.changed)];
}

function bootText({ outcome, evidence, seconds, console: text }: BootReport): string {
  const last = text
    .trimEnd()
    .split('\n')
    .slice(-20)
    .map((line) => `  | ${line}\n`)
    .join('');
  return `${pairs({ boot: outcome, evidence, after: duration(seconds) })}${text === '' ? '' : last}`;
}
