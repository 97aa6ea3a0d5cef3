import { deploymentGraph, deploymentValues } from '../../electron/engine/deployments/deployment-graph.ts';
import { replicaGraph, replicaValues } from '../../electron/engine/executions/replica-graph.ts';
import {
  isCleanUp,
  type RetryPolicy,
  type TaskGraph,
  type TaskNode,
  type TaskValues,
} from '../../electron/engine/jobs/task-graph.ts';
import { markdownTable } from './generated-block.ts';

/** The graphs with every optional task: those of other options have fewer. */
export const wholeExecution = (): string =>
  described(replicaGraph({ shutdownVm: true, verify: 'written' }), replicaValues);
export const wholeDeployment = (): string =>
  described(deploymentGraph({ execute: { lastPass: true } }), deploymentValues);

function described(graph: TaskGraph, values: TaskValues): string {
  return `${mermaid(graph)}\n\n${table(graph, values)}`;
}

/** Solid arrows: comes after. Dotted ones: cleans up after. Rounded: a clean-up task. */
function mermaid(graph: TaskGraph): string {
  const nodes = graph.map((node) => `  ${node.id}${isCleanUp(node) ? `(["${node.title}"])` : `["${node.title}"]`}`);
  const edges = graph.flatMap((node) => [
    ...direct(graph, node).map((before) => `  ${before} --> ${node.id}`),
    ...(node.cleansUp ?? []).map((before) => `  ${before} -.-> ${node.id}`),
  ]);
  return ['```mermaid', 'flowchart TD', ...nodes, ...edges, '```'].join('\n');
}

/** What a node comes right after: without what another one of `after` comes after anyway. */
function direct(graph: TaskGraph, { after, cleansUp = [] }: TaskNode): string[] {
  const before = (id: string): string[] =>
    (graph.find((node) => node.id === id)?.after ?? []).flatMap((other) => [other, ...before(other)]);
  return after.filter(
    (id) => !cleansUp.includes(id) && !after.some((other) => other !== id && before(other).includes(id)),
  );
}

function table(graph: TaskGraph, values: TaskValues): string {
  const ids = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
  const rows = graph.map((node) => {
    const gives = node.yields
      .map((value) => `${value}${'inMemory' in (values[value] ?? {}) ? ' (in memory)' : ''}`)
      .join(', ');
    const cleansUp =
      node.cleansUp === undefined ? '' : `${ids(node.cleansUp)}${node.settles ? '; not when interrupted' : ''}`;
    return [`\`${node.id}\``, node.title, node.needs.join(', '), gives, cleansUp, retries(node.retry)];
  });
  return markdownTable(['Task', 'What it does', 'Needs', 'Gives', 'Cleans up after', 'Attempts'], rows);
}

function retries(policy: RetryPolicy | undefined): string {
  if (policy === undefined) return '1';
  const { attempts, firstMs, capMs, rerun = [] } = policy;
  const again = rerun.length === 0 ? '' : `; first again: ${rerun.map((id) => `\`${id}\``).join(', ')}`;
  return `${attempts} (wait from ${firstMs / 1000} s to at most ${capMs / 1000} s)${again}`;
}
