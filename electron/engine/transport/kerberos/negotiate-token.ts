import { applicationTag, contextTag, objectId, octetString, sequence } from '../der.ts';

const kerberos = objectId('2a864886f712010202');
const spnego = objectId('2b0601050502');

/** The first message of SPNEGO (RFC 4178), which offers Kerberos alone and brings its token along. */
export function negotiateToken(request: Buffer): Buffer {
  // RFC 4121, 4.1: the mechanism, the kind of the token, the message.
  const token = applicationTag(0, kerberos, Buffer.from([1, 0]), request);
  return applicationTag(
    0,
    spnego,
    contextTag(0, sequence(contextTag(0, sequence(kerberos)), contextTag(2, octetString(token)))),
  );
}
