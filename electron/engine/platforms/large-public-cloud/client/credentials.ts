import type { AwsConnection } from './connection.ts';
import type * as Sdk from './sdk.ts';

export type AwsSdk = typeof Sdk;
type Credentials = Awaited<ReturnType<ReturnType<AwsSdk['fromTemporaryCredentials']>>>;
export type CredentialProvider = () => Promise<Credentials>;

/** Files of the vendor's command line, where profiles and the tokens of single sign-on are found. */
export interface CredentialFiles {
  readonly configFilepath?: string;
  readonly filepath?: string;
}

type ClientSettings = Readonly<Record<string, unknown>> & { readonly region: string };

/** New credentials are asked for so long before the old ones end. */
const marginMs = 5 * 60_000;

/** How requests are signed: by keys, or a profile (keys, single sign-on or a role there), and on top of either by an assumed role. */
export function credentialsOf(sdk: AwsSdk, { signIn, role, region }: AwsConnection, sts: ClientSettings, files: CredentialFiles = {}): CredentialProvider {
  const base: CredentialProvider = signIn.kind === 'profile'
    ? () => sdk.fromIni({ profile: signIn.profile, clientConfig: sts, ...files })({ callerClientConfig: { region: async () => region } })
    : async () => ({ accessKeyId: signIn.accessKeyId, secretAccessKey: signIn.secretAccessKey, ...(signIn.sessionToken === undefined ? {} : { sessionToken: signIn.sessionToken }) });
  if (role === undefined) return remembered(base);
  return remembered(sdk.fromTemporaryCredentials({
    masterCredentials: base,
    params: { RoleArn: role.arn, RoleSessionName: 'causeway', ...(role.externalId === undefined ? {} : { ExternalId: role.externalId }) },
    clientConfig: sts,
  }));
}

/** The clients of an endpoint share one sign-in. */
function remembered(provider: CredentialProvider): CredentialProvider {
  let current: Promise<Credentials> | undefined;
  let endsAt = Infinity;
  return () => {
    if (current === undefined || Date.now() > endsAt - marginMs) {
      const asked = provider();
      endsAt = Infinity;
      current = asked;
      asked.then(({ expiration }) => {
        if (current === asked) endsAt = expiration?.getTime() ?? Infinity;
      }, () => {
        if (current === asked) current = undefined;
      });
    }
    return current;
  };
}
