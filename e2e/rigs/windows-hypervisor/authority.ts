// needs: openssl
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const openssl = (args: readonly string[]): Promise<unknown> => promisify(execFile)('openssl', args);
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

interface IssuedCertificate {
  readonly key: string;
  readonly cert: string;
}

/** An authority as a company has one, for certificates of hosts. `names` as OpenSSL writes them: `IP:127.0.0.1`. */
export async function makeAuthority(
  folder: string,
): Promise<((names: string) => Promise<IssuedCertificate>) & { readonly authority: string }> {
  const at = (name: string): string => join(folder, name);
  await openssl([
    'req',
    '-x509',
    ...newKey,
    '-days',
    '2',
    '-subj',
    '/CN=Rig authority',
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-keyout',
    at('authority.key'),
    '-out',
    at('authority.pem'),
  ]);
  const issue = async (names: string): Promise<IssuedCertificate> => {
    await openssl(['req', '-new', ...newKey, '-subj', '/CN=host', '-keyout', at('host.key'), '-out', at('host.csr')]);
    await writeFile(at('names'), `subjectAltName=${names}\nextendedKeyUsage=serverAuth\n`);
    await openssl([
      'x509',
      '-req',
      '-in',
      at('host.csr'),
      '-CA',
      at('authority.pem'),
      '-CAkey',
      at('authority.key'),
      '-CAcreateserial',
      '-days',
      '2',
      '-extfile',
      at('names'),
      '-out',
      at('host.pem'),
    ]);
    return { key: await readFile(at('host.key'), 'utf8'), cert: await readFile(at('host.pem'), 'utf8') };
  };
  return Object.assign(issue, { authority: await readFile(at('authority.pem'), 'utf8') });
}
