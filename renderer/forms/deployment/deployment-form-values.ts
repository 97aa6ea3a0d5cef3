import { deploymentOptionsSchema, type DeploymentOptions } from '../../../shared/model/deployment.ts';

export interface ScriptValues {
  readonly name: string;
  readonly content: string;
  readonly timeout: string;
}

export interface KeyValues {
  readonly secret: string;
  readonly device: string;
}

export type ScriptPoint = 'beforeMount' | 'inGuest' | 'firstBoot';
export const scriptPoints: readonly ScriptPoint[] = ['beforeMount', 'inGuest', 'firstBoot'];

/** The options of a deployment as a form holds them: texts as they are typed, nothing left out. */
export interface DeploymentValues {
  readonly first: 'none' | 'execute' | 'lastPass';
  readonly inPlace: boolean;
  readonly prepare: boolean;
  readonly root: string;
  readonly httpProxy: string;
  readonly packageCache: string;
  readonly agentPackage: string;
  readonly luksKeys: readonly KeyValues[];
  readonly keepWorker: boolean;
  readonly scripts: Readonly<Record<ScriptPoint, readonly ScriptValues[]>>;
  readonly bootMode: 'auto' | 'network' | 'console' | 'none';
  readonly bootDeadline: string;
  readonly bootPort: string;
  readonly onFailedBoot: 'rollback' | 'keep';
  readonly acceptInconsistent: boolean;
  /** Options that this form has no field of its own for. */
  readonly further: Readonly<Record<string, unknown>>;
}

/** Options that the form has fields for. */
export const knownOptions: ReadonlySet<string> = new Set([
  'execute',
  'inPlace',
  'skipMorphing',
  'root',
  'httpProxy',
  'packageCache',
  'agentPackage',
  'luksKeys',
  'keepWorkerOnFailure',
  'scripts',
  'bootCheck',
  'onFailedBoot',
  'acceptInconsistent',
]);

export function valuesOf(options: DeploymentOptions): DeploymentValues {
  const scriptsAt = (point: ScriptPoint): readonly ScriptValues[] =>
    (options.scripts?.[point] ?? []).map(({ name, content, timeoutSeconds }) => ({
      name,
      content,
      timeout: timeoutSeconds?.toString() ?? '',
    }));
  return {
    first: options.execute === undefined ? 'none' : options.execute.lastPass === true ? 'lastPass' : 'execute',
    inPlace: options.inPlace === true,
    prepare: options.skipMorphing !== true,
    root: options.root ?? '',
    httpProxy: options.httpProxy ?? '',
    packageCache: options.packageCache ?? '',
    agentPackage: options.agentPackage ?? '',
    luksKeys: (options.luksKeys ?? []).map(({ secret, device = '' }) => ({ secret, device })),
    keepWorker: options.keepWorkerOnFailure === true,
    scripts: {
      beforeMount: scriptsAt('beforeMount'),
      inGuest: scriptsAt('inGuest'),
      firstBoot: scriptsAt('firstBoot'),
    },
    bootMode: options.bootCheck?.mode ?? 'auto',
    bootDeadline: options.bootCheck?.deadlineSeconds?.toString() ?? '',
    bootPort: options.bootCheck?.port?.toString() ?? '',
    onFailedBoot: options.onFailedBoot ?? 'rollback',
    acceptInconsistent: options.acceptInconsistent === true,
    further: Object.fromEntries(Object.entries(options).filter(([key]) => !knownOptions.has(key))),
  };
}

export type ReadDeployment =
  | { readonly options: DeploymentOptions }
  /** Messages by the path of the option, e.g. `bootCheck.port`. */
  | { readonly problems: ReadonlyMap<string, string> };

/** The options that a form's values mean, by the schema that the engine checks them with. */
export function readDeployment(values: DeploymentValues): ReadDeployment {
  const written = {
    ...values.further,
    ...(values.first === 'none' ? {} : { execute: values.first === 'lastPass' ? { lastPass: true } : {} }),
    ...(values.inPlace ? { inPlace: true } : {}),
    ...(values.prepare ? preparation(values) : { skipMorphing: true }),
    ...bootCheck(values),
    ...(values.onFailedBoot === 'keep' ? { onFailedBoot: 'keep' } : {}),
    ...(values.acceptInconsistent ? { acceptInconsistent: true } : {}),
  };
  const parsed = deploymentOptionsSchema.safeParse(written);
  if (parsed.success) return { options: parsed.data };
  return { problems: new Map(parsed.error.issues.map(({ path, message }) => [path.join('.'), message])) };
}

function preparation({
  root,
  httpProxy,
  packageCache,
  agentPackage,
  luksKeys,
  keepWorker,
  scripts,
}: DeploymentValues): object {
  const keys = luksKeys.filter(({ secret }) => secret.trim() !== '');
  const given = scriptPoints.filter((point) => scripts[point].length > 0);
  return {
    ...(root.trim() === '' ? {} : { root: root.trim() }),
    ...(httpProxy.trim() === '' ? {} : { httpProxy: httpProxy.trim() }),
    ...(packageCache.trim() === '' ? {} : { packageCache: packageCache.trim() }),
    ...(agentPackage.trim() === '' ? {} : { agentPackage: agentPackage.trim() }),
    ...(keys.length === 0
      ? {}
      : {
          luksKeys: keys.map(({ secret, device }) => ({
            secret,
            ...(device.trim() === '' ? {} : { device: device.trim() }),
          })),
        }),
    ...(keepWorker ? { keepWorkerOnFailure: true } : {}),
    ...(given.length === 0
      ? {}
      : { scripts: Object.fromEntries(given.map((point) => [point, scripts[point].map(scriptOf)])) }),
  };
}

function scriptOf({ name, content, timeout }: ScriptValues): object {
  return { name: name.trim(), content, ...(timeout.trim() === '' ? {} : { timeoutSeconds: Number(timeout) }) };
}

function bootCheck({ bootMode, bootDeadline, bootPort }: DeploymentValues): object {
  const given = {
    ...(bootMode === 'auto' ? {} : { mode: bootMode }),
    ...(bootDeadline.trim() === '' ? {} : { deadlineSeconds: Number(bootDeadline) }),
    ...(bootPort.trim() === '' ? {} : { port: Number(bootPort) }),
  };
  return Object.keys(given).length === 0 ? {} : { bootCheck: given };
}
