import { randomBytes } from 'node:crypto';
import { ApiError, ok, type Operation } from '../cloud-kit/call.ts';
import type { World } from './world.ts';

const getCallerIdentity: Operation<World> = ({ world, headers }) => {
  const id = /Credential=([^/]+)\//.exec(String(headers.authorization))?.[1] ?? '';
  return ok({ UserId: `AIDA${id}`, Account: world.setup.account, Arn: world.keys.get(id)?.arn ?? '' });
};

const assumeRole: Operation<World> = ({ world, body }) => {
  const arn = String(body['RoleArn']);
  if (!world.roles.has(arn) || world.roles.get(arn) !== body['ExternalId'])
    throw new ApiError(403, `not authorized to perform: sts:AssumeRole on resource: ${arn}`, { code: 'AccessDenied' });
  const name = arn.slice(arn.lastIndexOf('/') + 1);
  const key = {
    id: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
    secret: randomBytes(20).toString('base64'),
    sessionToken: randomBytes(60).toString('base64'),
    endsAt: world.ground.clock.now() + 3600_000,
    arn: `arn:aws:sts::${world.setup.account}:assumed-role/${name}/${String(body['RoleSessionName'])}`,
  };
  world.keys.set(key.id, key);
  return ok({
    Credentials: {
      AccessKeyId: key.id,
      SecretAccessKey: key.secret,
      SessionToken: key.sessionToken,
      Expiration: new Date(key.endsAt),
    },
    AssumedRoleUser: { AssumedRoleId: `AROA:${String(body['RoleSessionName'])}`, Arn: key.arn },
  });
};

export const stsOperations: Readonly<Record<string, Operation<World>>> = {
  AssumeRole: assumeRole,
  GetCallerIdentity: getCallerIdentity,
};
