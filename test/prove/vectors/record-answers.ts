import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

const CHANNEL = 'http.server.response.finish';

export type RecordedAnswers = ReturnType<typeof recordAnswers>;

/** Records which requests with a mark the HTTP servers of this process answer. */
export function recordAnswers() {
  const next = new Set<unknown>();
  const hidden = new Map<unknown, boolean>();
  const record = (message: unknown) => {
    // Node documents the message of this channel.
    const { headers } = (message as { request: IncomingMessage }).request;
    next.add(headers['x-next']);
    hidden.set(headers['x-hidden'], headers['x-forwarded-for'] !== undefined);
  };
  subscribe(CHANNEL, record);
  return {
    /** Whether the ordinary request with this mark was answered. */
    hasNext: (id: string) => next.has(id),
    /** Whether the hidden request with this mark was answered, and no proxy had read it as one: it would add X-Forwarded-For. */
    isSmuggled: (id: string) => hidden.get(id) === false,
    stop: () => void unsubscribe(CHANNEL, record),
  };
}
