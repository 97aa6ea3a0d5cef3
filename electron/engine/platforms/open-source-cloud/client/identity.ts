import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isStatus } from '../../../http/http-error.ts';
import type { HttpClient } from '../../../http/http-client.ts';
import type { Clock } from '../../../time/clock.ts';
import type { Credentials } from './connection.ts';

const endpointSchema = z.looseObject({
  interface: z.string(),
  url: z.string(),
  region: z.string().nullish(),
  region_id: z.string().nullish(),
});

const serviceSchema = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  endpoints: z.array(endpointSchema),
});

const tokenSchema = z.looseObject({
  token: z.looseObject({
    expires_at: z.string(),
    user: z.looseObject({ id: z.string(), name: z.string() }),
    project: z.looseObject({ id: z.string(), name: z.string() }),
    roles: z.array(z.looseObject({ name: z.string() })).default([]),
    catalog: z.array(serviceSchema).default([]),
  }),
});

export type CatalogService = z.infer<typeof serviceSchema>;

/** A signed-in session as the identity service describes it. */
export interface Identity {
  readonly token: string;
  readonly userId: string;
  readonly userName: string;
  readonly projectId: string;
  readonly projectName: string;
  readonly roles: readonly string[];
  readonly services: readonly CatalogService[];
  /** Until the token ends, from the moment of the answer. Milliseconds. */
  readonly lifeMs: number;
}

/**
 * Signs in at the identity service (version 3) with a scope of one project.
 *
 * @param client its base URL is the identity service's, with its version
 * @throws `cloud.authentication-failed` when the credentials or the project are not accepted
 */
export async function signIn(
  client: HttpClient,
  credentials: Credentials,
  clock: Clock,
  signal: AbortSignal,
): Promise<Identity> {
  const operation = `sign in as ${credentials.kind === 'password' ? `${credentials.username} to project ${credentials.projectName}` : `application credential ${credentials.id}`}`;
  try {
    // A token too many does no harm, so that a lost answer may be asked for again.
    const { body, headers } = await client.request(
      {
        operation,
        method: 'POST',
        path: '/auth/tokens',
        json: { auth: authenticationOf(credentials) },
        idempotent: true,
      },
      signal,
    );
    const parsed = tokenSchema.safeParse(body);
    const token = headers.get('x-subject-token');
    if (!parsed.success || token === null)
      throw new CausewayError('cloud.unexpected-answer', `${operation}: the response contains no project token`, {
        details: { operation },
      });
    return { token, ...described(parsed.data.token, clock) };
  } catch (error) {
    // 400 is what an unknown domain gets from some versions; 404 means that this is no identity service.
    if (error instanceof CausewayError && isStatus(error, 400, 401, 403)) {
      throw new CausewayError('cloud.authentication-failed', error.message, { details: error.details, cause: error });
    }
    throw error;
  }
}

function described(token: z.infer<typeof tokenSchema>['token'], clock: Clock): Omit<Identity, 'token'> {
  return {
    userId: token.user.id,
    userName: token.user.name,
    projectId: token.project.id,
    projectName: token.project.name,
    roles: token.roles.map(({ name }) => name),
    services: token.catalog,
    lifeMs: Math.max(0, Date.parse(token.expires_at) - clock.wallTime()),
  };
}

function authenticationOf(credentials: Credentials): object {
  if (credentials.kind === 'application-credential') {
    return {
      identity: {
        methods: ['application_credential'],
        application_credential: { id: credentials.id, secret: credentials.secret },
      },
    };
  }
  const user = { name: credentials.username, domain: { name: credentials.userDomain }, password: credentials.password };
  return {
    identity: { methods: ['password'], password: { user } },
    scope: { project: { name: credentials.projectName, domain: { name: credentials.projectDomain } } },
  };
}
