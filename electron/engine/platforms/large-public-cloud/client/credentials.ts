import { asAwsError } from './aws-error.ts';
import { serviceHost, type AwsConnection } from './connection.ts';
import type * as Sdk from './sdk.ts';

export type AwsSdk = typeof Sdk;
type Credentials = Awaited<ReturnType<ReturnType<AwsSdk['fromIni']>>>;
export type CredentialProvider = () => Promise<Credentials>;

/** Files of the vendor's command line, where profiles and the tokens of single sign-on are found. */
export interface CredentialFiles {
  readonly configFilepath?: string;
  readonly filepath?: string;
}

type ClientSettings = Readonly<Record<string, unknown>> & { readonly region: string };

/** What the services of signing in are reached with. */
export interface SignInClients {
  /** As the endpoint says. */
  readonly sts: ClientSettings;
  /** For single sign-on, which has a region and addresses of its own: nothing but how requests are sent. */
  readonly singleSignOn: Readonly<Record<string, unknown>>;
}

/** New credentials are asked for so long before the old ones end. */
const marginMs = 5 * 60_000;
/** And then no more often than this: what a profile names may give the same ones until they end. */
const pauseMs = 30_000;

/** The errors of requests whose credentials have ended, by service: the last one is that of EC2. */
export const endedCodes = ['ExpiredToken', 'ExpiredTokenException', 'RequestExpired'] as const;

/** How requests are signed: by keys, or a profile (keys, single sign-on or a role there), and on top of either by an assumed role. */
export function credentialsOf(
  sdk: AwsSdk,
  { signIn, role, region }: AwsConnection,
  { sts, singleSignOn }: SignInClients,
  files: CredentialFiles = {},
): CredentialProvider {
  const base: CredentialProvider =
    signIn.kind === 'profile'
      ? // What other programs write into the files counts at once.
        () =>
          sdk.fromIni({
            profile: signIn.profile,
            ignoreCache: true,
            clientConfig: singleSignOn,
            roleAssumer: (source, params) => assumeRole(sdk, sts, source, params),
            ...files,
          })({ callerClientConfig: { region: async () => region } })
      : async () => ({
          accessKeyId: signIn.accessKeyId,
          secretAccessKey: signIn.secretAccessKey,
          ...(signIn.sessionToken === undefined ? {} : { sessionToken: signIn.sessionToken }),
        });
  if (role === undefined) return remembered(base);
  const params = {
    RoleArn: role.arn,
    RoleSessionName: 'causeway',
    ...(role.externalId === undefined ? {} : { ExternalId: role.externalId }),
  };
  return remembered(async () => assumeRole(sdk, sts, await base(), params));
}

/** A role of the connection, or of a profile: both at the endpoint's own address. */
async function assumeRole(
  sdk: AwsSdk,
  sts: ClientSettings,
  source: Credentials,
  params: { readonly RoleArn: string; readonly RoleSessionName: string },
): Promise<Credentials> {
  // Not destroyed afterwards: it would end the connections of the endpoint's other clients as well.
  const client = new sdk.STSClient({ ...sts, credentials: source });
  const asked = {
    operation: `assume role ${params.RoleArn}`,
    action: 'sts:AssumeRole',
    host: serviceHost({ region: sts.region, endpoints: {} }, 'sts'),
  };
  const { Credentials: given } = await client.send(new sdk.AssumeRoleCommand(params)).catch((error: unknown) => {
    throw asAwsError(error, asked, new AbortController().signal);
  });
  const {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration: expiration,
  } = given ?? {};
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined)
    throw new Error(`the role ${params.RoleArn} gave no credentials`);
  return { accessKeyId, secretAccessKey, sessionToken, ...(expiration === undefined ? {} : { expiration }) };
}

/** The clients of an endpoint share one sign-in. While new credentials cannot be had, the old ones are used to their end. */
export function remembered(provider: CredentialProvider, now: () => number = Date.now): CredentialProvider {
  interface Held {
    readonly asked: Promise<Credentials>;
    readonly askedAt: number;
    endsAt: number;
  }
  let held: Held | undefined;
  const isFresh = ({ askedAt, endsAt }: Held): boolean =>
    now() < endsAt - marginMs || (now() < endsAt && now() - askedAt < pauseMs);
  return () => {
    if (held !== undefined && isFresh(held)) return held.asked;
    const former = held;
    const asked = provider().catch((error: unknown) => {
      if (former !== undefined && now() < former.endsAt) return former.asked;
      throw error;
    });
    const next: Held = { asked, askedAt: now(), endsAt: Infinity };
    held = next;
    asked.then(
      ({ expiration }) => {
        next.endsAt = expiration?.getTime() ?? Infinity;
      },
      () => {
        if (held === next) held = undefined;
      },
    );
    return asked;
  };
}
