import { Counter, type Registry } from 'prom-client';
import type { OperationalEvent } from '../../domain/operational-event.ts';
import type { WebhookState } from '../../domain/webhook-state.ts';
import { addGauge } from './gauge.ts';

const OUTCOMES = ['delivered', 'failed', 'dropped'] as const;

/** Returns a function that counts messages by what came of them. No label names a receiver. */
export function countWebhooks(registry: Registry) {
  const messages = new Counter({
    name: 'tayang_webhook_messages_total',
    help: 'Messages delivered, attempts that failed, and messages that were dropped.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  for (const outcome of OUTCOMES) messages.inc({ outcome }, 0);

  return (event: OperationalEvent): void => {
    if (event.type === 'webhook-sent') messages.inc({ outcome: 'delivered' });
    if (event.type === 'webhook-failed') messages.inc({ outcome: 'failed' });
    if (event.type === 'webhook-dropped') messages.inc({ outcome: 'dropped' }, event.count);
  };
}

/** What the gauges of the webhooks are read from. */
export interface WebhookGauges {
  webhooks(): readonly WebhookState[];
  /** Wall clock, ms since 1970. */
  now(): number;
}

/** Measures the receivers of this process; a process that does not send has zeros. */
export function measureWebhooks(registry: Registry, { webhooks, now }: WebhookGauges): void {
  addGauge(registry, 'tayang_webhook_pending', 'Messages that wait for a receiver.', () =>
    webhooks().reduce((sum, { pending }) => sum + pending, 0),
  );
  addGauge(
    registry,
    'tayang_webhook_failing_seconds',
    'For how long the receiver that has failed longest has not accepted a message; 0 when none fails.',
    () => {
      const ages = webhooks().map(({ since }) => (since === null ? 0 : (now() - since) / 1_000));
      return Math.max(0, ...ages);
    },
  );
}
