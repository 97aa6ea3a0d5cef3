import { z } from 'zod';
import { PermissionViolationError, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { calls, type CallName } from '../../shared/contract/contract.ts';
import { envelopeSchema } from '../../shared/contract/envelope.ts';
import { abortable } from '../engine/concurrency/abortable.ts';
import { liveMessageSchema, type FleetLive, type LiveHandlers } from './live-messages.ts';

/** How long the member that works on a replica may take for a call, milliseconds. */
const answerMs = 15_000;

const askedSchema = z.strictObject({
  call: z.custom<CallName>((value) => typeof value === 'string' && Object.hasOwn(calls, value)),
  input: z.looseObject({}),
});

export function liveSubject(project: string): string {
  return `causeway.${project}.live`;
}

/** A call for whoever works on a replica. */
export function callSubject(project: string, replica: string): string {
  return `causeway.${project}.call.${replica}`;
}

/** Of the numbers of one execution, which are kept until the execution is known. Servers hold all else to what they are configured for, 1 MiB. */
const mostNumberBytes = 64 * 1024;

/** What is told without being kept, on the subjects of a project. A user that may not subscribe hears nothing; all else goes on. */
export function natsLive(connection: NatsConnection, project: string, { hear, asked }: LiveHandlers): FleetLive {
  connection.subscribe(liveSubject(project), {
    callback: (error, message) => {
      const told = error === null ? liveMessageSchema.safeParse(parsed(message)) : undefined;
      if (told?.success === true && (told.data.kind !== 'progress' || message.data.length <= mostNumberBytes))
        hear(told.data);
    },
  });
  connection.subscribe(callSubject(project, '*'), {
    callback: (error, message) => {
      const given = error === null ? askedSchema.safeParse(parsed(message)) : undefined;
      if (given?.success !== true) return;
      const replica = message.subject.slice(message.subject.lastIndexOf('.') + 1);
      void asked({ replica, ...given.data })?.then((answer) => message.respond(JSON.stringify(answer)));
    },
  });
  let isRefused = false;
  void (async () => {
    for await (const status of connection.status()) {
      if (
        status.type === 'error' &&
        status.error instanceof PermissionViolationError &&
        status.error.operation === 'publish' &&
        status.error.subject === liveSubject(project)
      )
        isRefused = true;
      // Servers may have been given other roles meanwhile.
      if (status.type === 'reconnect') isRefused = false;
    }
  })();
  return {
    mayTell: () => !isRefused,
    tell(message) {
      // A connection that has just ended says so elsewhere.
      if (!connection.isClosed()) connection.publish(liveSubject(project), JSON.stringify(message));
    },
    async ask({ replica, call, input }, signal) {
      try {
        const answer = await abortable(
          connection.request(callSubject(project, replica), JSON.stringify({ call, input }), { timeout: answerMs }),
          signal,
        );
        return envelopeSchema.parse(answer.json());
      } catch {
        signal.throwIfAborted();
        return undefined;
      }
    },
  };
}

function parsed(message: Msg): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
