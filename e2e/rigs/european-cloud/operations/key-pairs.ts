import { createHash } from 'node:crypto';
import { badRequest, conflict, created, noContent, ok } from '../../cloud-kit/call.ts';
import { labelsField, optionalString, selected, stringField } from '../call.ts';
import type { Operation } from '../call.ts';
import type { KeyPairRecord } from '../records.ts';
import { newId, now } from '../world.ts';

const publicKeyForm = /^(ssh-rsa|ssh-ed25519|ecdsa-sha2-nistp(256|384|521))\s+[A-Za-z0-9+/]+={0,3}(\s.*)?$/;

export const listKeyPairs: Operation = (call) => ok({ items: selected(call, call.world.keyPairs.listed()) });

export const getKeyPair: Operation = ({ world, params }) => ok(world.keyPairs.demand(params['keypairName']));

export const createKeyPair: Operation = (call) => {
  const publicKey = stringField(call, 'publicKey').trim();
  if (!publicKeyForm.test(publicKey)) throw badRequest('invalid pubkey');
  const name = optionalString(call, 'name') ?? newId();
  if (!/^[A-Za-z0-9@._-]{1,127}$/.test(name)) throw badRequest('keypair name is not valid');
  if (call.world.keyPairs.has(name)) throw conflict('keypair already exists');
  const body = Buffer.from(publicKey.split(/\s+/)[1] ?? '', 'base64');
  const fingerprint = createHash('md5')
    .update(body)
    .digest('hex')
    .replace(/(..)(?=.)/g, '$1:');
  const pair: KeyPairRecord = { name, publicKey, fingerprint, createdAt: now(), labels: labelsField(call) };
  call.world.keyPairs.set(name, pair);
  return created(pair);
};

export const deleteKeyPair: Operation = ({ world, params }) => {
  const pair = world.keyPairs.demand(params['keypairName']);
  world.keyPairs.delete(pair.name);
  return noContent();
};
