import { CausewayError } from '../../../../shared/model/causeway-error.ts';

/** The part of the package `kerberos` that is used. It is native code, so that Causeway does not bring it along. */
interface KerberosPackage {
  initializeClient(service: string, options: { readonly mechOID: unknown }): Promise<{ step(challenge: string): Promise<string> }>;
  readonly GSS_MECH_OID_SPNEGO?: unknown;
}

/**
 * A token for the host, from the tickets that the system has for the person who is signed in.
 *
 * @throws `transport.kerberos-missing`, `transport.login-refused`
 */
export async function kerberosToken(host: string, load: () => Promise<unknown> = loadPackage, platform: NodeJS.Platform = process.platform): Promise<string> {
  let kerberos: KerberosPackage;
  try {
    kerberos = (await load()) as KerberosPackage;
  } catch (error) {
    throw new CausewayError('transport.kerberos-missing', 'the package kerberos cannot be loaded', { cause: error });
  }
  try {
    // Windows' own library takes the name of the service, others that of the host that it is on.
    const client = await kerberos.initializeClient(platform === 'win32' ? `HTTP/${host}` : `HTTP@${host}`, { mechOID: kerberos.GSS_MECH_OID_SPNEGO });
    return await client.step('');
  } catch (error) {
    throw new CausewayError('transport.login-refused', `Kerberos has no ticket for ${host}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Not a dependency: its name is not a literal, so that the bundler does not resolve it. */
async function loadPackage(): Promise<unknown> {
  const name = ['ker', 'beros'].join('');
  const loaded = (await import(/* @vite-ignore */ name)) as { readonly default?: unknown };
  return loaded.default ?? loaded;
}
