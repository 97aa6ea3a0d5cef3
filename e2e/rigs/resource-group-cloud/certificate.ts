import { makeCertificate } from '../../../electron/engine/transport/certificates.ts';

/** A certificate for the simulators' addresses (`localhost`), in PEM: the vendor's libraries send tokens over TLS only. */
export async function simulatorCertificate(): Promise<{ readonly key: string; readonly cert: string }> {
  const { keyPem, certPem } = await makeCertificate('localhost');
  return { key: keyPem, cert: certPem };
}
