import { createSign, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { EuropeanCloud } from './start.ts';

/** What it takes to speak to a cloud; a cloud in a process of its own prints it. */
export type CloudAccess = Pick<EuropeanCloud, 'urls' | 'serviceAccountKey' | 'projectId' | 'region'>;

export interface Answer {
  readonly status: number;
  readonly requestId: string;
  readonly body: Record<string, unknown>;
}

/** A bare client for the lab's own tests; the product's adapter is not used to test the ground that it stands on. */
export class RigClient {
  readonly #cloud: CloudAccess;
  #token = '';

  constructor(cloud: CloudAccess) {
    this.#cloud = cloud;
  }

  /** A signed assertion of the key flow; `changes` break it on purpose. */
  assertion(changes: { header?: object; claims?: object; privateKey?: string } = {}): string {
    const { credentials } = this.#cloud.serviceAccountKey;
    const seconds = Math.floor(Date.now() / 1000);
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { kid, iss, sub, aud } = credentials;
    const head = encode({ alg: 'RS512', typ: 'JWT', kid, ...changes.header });
    const payload = encode({ iss, sub, aud, jti: randomUUID(), iat: seconds, exp: seconds + 600, ...changes.claims });
    const signature = createSign('RSA-SHA512')
      .update(`${head}.${payload}`)
      .sign(changes.privateKey ?? credentials.privateKey, 'base64url');
    return `${head}.${payload}.${signature}`;
  }

  async requestToken(assertion: string): Promise<Answer> {
    const form = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
    return answerOf(await fetch(this.#cloud.urls.token, { method: 'POST', body: form }));
  }

  async signIn(): Promise<void> {
    this.#token = String((await this.requestToken(this.assertion())).body['access_token']);
  }

  /** `path` starting with `/v2/` is taken as it is, anything else is within the project and region. */
  async call(method: string, path: string, body?: object): Promise<Answer> {
    const { urls, projectId, region } = this.#cloud;
    const url = path.startsWith('/v2/')
      ? `${urls.iaas}${path}`
      : `${urls.iaas}/v2/projects/${projectId}/regions/${region}/${path}`;
    return answerOf(
      await fetch(url, {
        method,
        headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  }

  /** Reads `path` until its status is one of `wanted` (404 counts as `GONE`); the deadline is generous, because emulated machines share few processors. */
  async waitFor(path: string, ...wanted: string[]): Promise<Answer> {
    const deadline = Date.now() + 180_000;
    for (;;) {
      const answer = await this.call('GET', path);
      const status = answer.status === 404 ? 'GONE' : String(answer.body['status']);
      if (wanted.includes(status)) return answer;
      if (Date.now() > deadline)
        throw new Error(`${path} is ${status}, not ${wanted.join(' or ')}: ${JSON.stringify(answer.body)}`);
      await delay(10);
    }
  }

  async idOf(collection: string, name: string): Promise<string> {
    const { body } = await this.call('GET', collection);
    const found = (body['items'] as { id: string; name: string }[]).find((item) => item.name === name);
    if (found === undefined) throw new Error(`no ${name} among ${collection}`);
    return found.id;
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? '',
    body: isJson ? (JSON.parse(text) as Answer['body']) : { text },
  };
}
