import { createHash } from 'node:crypto';
import { badRequest, conflict } from '../api-error.ts';
import { created, labelsField, noContent, ok, optionalString, stringField } from '../call.ts';
import type { Operation } from '../call.ts';
import { parseLabelSelector } from '../label-selector.ts';
import type { KeyPairRecord } from '../records.ts';
import { get, newId, now } from '../world.ts';

const publicKeyForm = /^(ssh-rsa|ssh-ed25519|ecdsa-sha2-nistp(256|384|521))\s+[A-Za-z0-9+/]+={0,3}(\s.*)?$/;

export const listKeyPairs: Operation = ({ world, query }) => {
  const matches = parseLabelSelector(query.get('label_selector') ?? '');
  return ok({ items: [...world.keyPairs.values()].filter((pair) => matches(pair.labels)) });
};

export const getKeyPair: Operation = ({ world, params }) => ok(get(world.keyPairs, params['keypairName'], 'keypair'));

export const createKeyPair: Operation = (call) => {
  const publicKey = stringField(call, 'publicKey').trim();
  if (!publicKeyForm.test(publicKey)) throw badRequest('invalid pubkey');
  const name = optionalString(call, 'name') ?? newId();
  if (!/^[A-Za-z0-9@._-]{1,127}$/.test(name)) throw badRequest('keypair name is not valid');
  if (call.world.keyPairs.has(name)) throw conflict('keypair already exists');
  const body = Buffer.from(publicKey.split(/\s+/)[1] ?? '', 'base64');
  const fingerprint = createHash('md5').update(body).digest('hex').replace(/(..)(?=.)/g, '$1:');
  const pair: KeyPairRecord = { name, publicKey, fingerprint, createdAt: now(), labels: labelsField(call) };
  call.world.keyPairs.set(name, pair);
  return created(pair);
};

export const deleteKeyPair: Operation = ({ world, params }) => {
  const pair = get(world.keyPairs, params['keypairName'], 'keypair');
  world.keyPairs.delete(pair.name);
  return noContent();
};
