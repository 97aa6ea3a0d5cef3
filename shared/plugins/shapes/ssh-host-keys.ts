import { z } from 'zod';

/** Host keys of SSH servers, each as `<type> <base64>`. */
export const sshHostKeys = () =>
  z.array(
    z
      .string()
      .regex(/^(?:ssh|ecdsa)-[A-Za-z0-9@.-]+ [A-Za-z0-9+/]+=*$/, 'must be a host key: its type and its base64 text'),
  );
