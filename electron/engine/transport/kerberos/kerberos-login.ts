import { isIP } from 'node:net';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { DerError } from '../der-reader.ts';
import { decrypt, isKeyType, keyOfPassword, keyTypes, type KerberosKey } from './aes-keys.ts';
import { askKdc, findKdcs } from './kdc.ts';
import {
  loginRequest,
  newNonce,
  openAnswer,
  readAnswer,
  serviceAuthenticator,
  serviceRequest,
  usages,
  type KdcError,
  type Principal,
  type Ticket,
} from './messages.ts';
import { negotiateToken } from './negotiate-token.ts';

export interface KerberosAccount {
  /** `user@DOMAIN`, `DOMAIN\user` or `user`. */
  readonly username: string;
  readonly password: string;
  /** Of the service, as its certificate and its account in the domain have it. */
  readonly host: string;
  /** A controller of the domain, `host` or `host:port`. Default: those that DNS names. */
  readonly kdc?: string | undefined;
}

export interface KerberosSurroundings {
  readonly now?: () => number;
  readonly find?: typeof findKdcs;
  readonly ask?: typeof askKdc;
}

/** What a domain controller refuses (RFC 4120, 7.5.9) of which people know what to do. */
const refusals: Readonly<Record<number, readonly ['login' | 'domain', string]>> = {
  6: ['login', 'the domain has no such user'],
  7: ['domain', 'the domain has no account for the host: give the host by the name that it has in the domain'],
  12: ['login', 'a policy of the domain refuses the sign-in'],
  14: [
    'domain',
    'the domain has no AES key for the account: allow AES encryption for it, or have its password set again',
  ],
  18: ['login', 'the account is disabled, locked or expired'],
  23: ['login', 'the password has expired'],
  24: ['login', 'the password is wrong'],
  37: ['domain', 'the clocks of this computer and of the domain differ by too much'],
  68: ['domain', 'the domain is another one: give the user as user@domain'],
};
const preAuthenticationRequired = 25;
const clockSkew = 37;
/** From one domain to the next that it trusts. */
const mostReferrals = 8;
/** A ticket that ends while it is on its way is of no use. */
const marginMs = 60_000;

/**
 * Signs in by Kerberos with a password, without any library of the system: a ticket from a domain controller, by that one for the host's web service.
 * No password and nothing that was made of it reaches the host.
 */
export class KerberosLogin {
  readonly #account: KerberosAccount;
  readonly #now: () => number;
  readonly #find: typeof findKdcs;
  readonly #ask: typeof askKdc;
  /** How far the domain's clock is ahead, if it differs by too much. */
  #offsetMs = 0;
  #login: Ticket | undefined;
  #service: Ticket | undefined;

  constructor(account: KerberosAccount, surroundings: KerberosSurroundings = {}) {
    this.#account = account;
    [this.#now, this.#find, this.#ask] = [
      surroundings.now ?? Date.now,
      surroundings.find ?? findKdcs,
      surroundings.ask ?? askKdc,
    ];
  }

  /**
   * What follows `Negotiate` in the header of a request: good for one request on one connection.
   *
   * @param bindings MD5 of the connection's binding structure
   * @throws `transport.login-refused`, `transport.kerberos-unavailable`, the signal's reason
   */
  async token(bindings: Buffer, signal: AbortSignal): Promise<string> {
    const { host } = this.#account;
    if (isIP(host) !== 0)
      throw unavailable(`${host} is an address: a domain knows its hosts by name. Give the host by its name`);
    try {
      if (!this.#isGood(this.#service)) {
        if (!this.#isGood(this.#login)) this.#login = await this.#signIn(signal);
        this.#service = await this.#ticketFor({ type: 2, parts: ['HTTP', host] }, this.#login, signal);
      }
      return negotiateToken(serviceAuthenticator(this.#service, bindings, this.#time())).toString('base64');
    } catch (error) {
      if (error instanceof DerError || error instanceof RangeError)
        throw unavailable(`the domain controller sent what is not valid: ${error.message}`, error);
      throw error;
    }
  }

  #time(): number {
    return this.#now() + this.#offsetMs;
  }

  #isGood(ticket: Ticket | undefined): ticket is Ticket {
    return ticket !== undefined && ticket.endsAt - marginMs > this.#time();
  }

  async #signIn(signal: AbortSignal): Promise<Ticket> {
    const { realm, client } = principalOf(this.#account);
    let key: KerberosKey | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const nonce = newNonce();
      const answer = await this.#exchange(
        realm,
        loginRequest({ realm, client, service: { type: 2, parts: ['krbtgt', realm] }, nonce, now: this.#time() }, key),
        signal,
      );
      if (!('code' in answer)) {
        const { keyType } = answer;
        if (!isKeyType(keyType))
          throw unavailable(
            `the domain encrypts for ${this.#account.username} in a way that is not supported (${keyType})`,
          );
        key ??= await keyOfPassword(keyType, this.#account.password, saltOf(realm, client));
        const plain = decrypt(key, usages.loginAnswer, answer.sealed);
        if (plain === undefined)
          throw new CausewayError(
            'transport.login-refused',
            `Kerberos: the answer of domain ${realm} cannot be read with the password of ${this.#account.username}`,
          );
        return openAnswer(answer, plain, nonce);
      }
      const isSkewed = answer.code === clockSkew && this.#offsetMs === 0;
      if (isSkewed) this.#offsetMs = answer.time - this.#now();
      const isAsked = answer.code === preAuthenticationRequired && key === undefined;
      if (attempt > 3 || (!isSkewed && !isAsked)) throw refused(answer, this.#account.username, realm);
      if (isAsked) key = await this.#keyFor(answer, realm, client);
    }
  }

  async #keyFor({ keys }: KdcError, realm: string, client: Principal): Promise<KerberosKey> {
    const offered = keyTypes.flatMap((type) => keys.find((info) => info.type === type) ?? [])[0];
    if (offered === undefined || !isKeyType(offered.type))
      throw unavailable(
        `the domain ${realm} has no AES key for ${this.#account.username}: allow AES encryption for the account, or have its password set again`,
      );
    return keyOfPassword(
      offered.type,
      this.#account.password,
      offered.salt ?? saltOf(realm, client),
      offered.parameters,
    );
  }

  /** A domain that does not have the service gives a ticket for the one that may. */
  async #ticketFor(service: Principal, login: Ticket, signal: AbortSignal): Promise<Ticket> {
    let [by, realm] = [login, login.service.realm];
    for (let referrals = 0; referrals <= mostReferrals; referrals += 1) {
      const nonce = newNonce();
      const answer = await this.#exchange(
        realm,
        serviceRequest({ realm, service, nonce, now: this.#time() }, by),
        signal,
      );
      if ('code' in answer) throw refused(answer, service.parts.join('/'), realm);
      const plain = decrypt(by.key, usages.ticketAnswer, answer.sealed);
      if (plain === undefined) throw unavailable(`the answer of domain ${realm} is not valid`);
      const ticket = openAnswer(answer, plain, nonce);
      const [kind, next = ''] = ticket.service.parts;
      if (kind !== 'krbtgt') return ticket;
      [by, realm] = [ticket, next];
    }
    throw unavailable(`no domain has ${service.parts.join('/')}`);
  }

  async #exchange(realm: string, request: Buffer, signal: AbortSignal) {
    // A given controller is that of the account's own domain.
    const given =
      realm === principalOf(this.#account).realm || realm === this.#login?.service.realm
        ? this.#account.kdc
        : undefined;
    return readAnswer(await this.#ask(await this.#find(realm, given), request, signal));
  }
}

/** Who signs in, and where. A domain's short name, as in `EXAMPLE\me`, says nothing of where it is: the host's own domain is asked then. */
export function principalOf({ username, host }: Pick<KerberosAccount, 'username' | 'host'>): {
  readonly realm: string;
  readonly client: Principal;
} {
  const [, domain, user] = /^([^\\]*)\\(.+)$/.exec(username) ?? [];
  const at = username.lastIndexOf('@');
  const own = host.split('.').slice(1).join('.');
  const named =
    user !== undefined ? (domain?.includes('.') === true ? domain : own) : at > 0 ? username.slice(at + 1) : own;
  if (named === '')
    throw unavailable(
      `the domain of ${username} is not known: give the user as user@domain, or the host by its full name`,
    );
  return {
    realm: named.toUpperCase(),
    client: { type: 1, parts: [user ?? (at > 0 ? username.slice(0, at) : username)] },
  };
}

const saltOf = (realm: string, { parts }: Principal): string => realm + parts.join('');

function unavailable(message: string, cause?: unknown): CausewayError {
  return new CausewayError('transport.kerberos-unavailable', `Kerberos: ${message}`, { cause });
}

function refused({ code, text }: KdcError, who: string, realm: string): CausewayError {
  const [kind, words] = refusals[code] ?? ['domain', text === '' ? 'no reason was given' : text];
  const message = `${who} was refused by domain ${realm}: ${words} (Kerberos error ${code})`;
  return kind === 'login' ? new CausewayError('transport.login-refused', message) : unavailable(message);
}
