import { Counter, type Registry } from 'prom-client';
import type { OperationalEvent } from '../../domain/operational-event.ts';

const OUTCOMES = ['delivered', 'failed', 'gone', 'dropped'] as const;

/** Returns a function that counts messages of Web Push by what came of them. */
export function countPushMessages(registry: Registry) {
  const messages = new Counter({
    name: 'tayang_push_messages_total',
    help: 'Push messages delivered, attempts that failed, subscriptions that had ended, and messages that were dropped.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  for (const outcome of OUTCOMES) messages.inc({ outcome }, 0);

  return (event: OperationalEvent): void => {
    if (event.type !== 'push-sent') return;
    for (const outcome of OUTCOMES) messages.inc({ outcome }, event[outcome]);
  };
}
