import type { Rule } from '../rule.ts';

export const sourceRules: readonly Rule[] = [
  {
    id: 'qemu-hypervisor/quiesce-needs-guest-agent',
    *check({ effective }) {
      if (effective['quiesce'] === true && effective['guest_agent_socket'] === undefined) {
        yield {
          severity: 'error',
          at: ['quiesce'],
          message: 'quiesce needs the guest agent, and guest_agent_socket is not set.',
          suggestion: 'Set guest_agent_socket, or remove quiesce.',
        };
      }
    },
  },
];
