import type { EndpointCheck } from '../../../endpoint-checks/run-checks.ts';
import type { Manager } from './open-manager.ts';

/** Signing in, and the warning for a connection to a manager that is not verified. */
export function signInChecks(manager: Manager): readonly EndpointCheck[] {
  return [
    ...(manager.connection.trust.allowUntrusted === true
      ? [
          {
            name: 'Verify certificates',
            essential: false,
            run: async () => ({
              warning:
                "the manager's certificate is NOT verified: anyone on the network path can read and change the password and all data. Specify the certificate authority instead",
            }),
          },
        ]
      : []),
    {
      name: 'Sign in',
      essential: true,
      async run(signal) {
        const self = await manager.self(signal);
        const state = self?.managerRunState ?? 'RUNNING';
        const seen = `${self?.name ?? 'the manager'}${self?.managerVersion ? `, version ${self.managerVersion}` : ''}`;
        return state === 'RUNNING' ? seen : { warning: `${seen} is ${state.toLowerCase()}: jobs wait until it runs` };
      },
    },
  ];
}
