import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

const CHANNEL = 'http.server.response.finish';

/** Which requests with a mark the HTTP servers of this process have answered. */
export interface RecordedAnswers {
  /** Whether the ordinary request with this mark was answered. */
  hasNext(id: string): boolean;
  /** Whether the hidden request with this mark was answered, and whether a proxy had read it as a request. */
  hidden(id: string): 'not answered' | 'forwarded by the proxy' | 'smuggled';
  stop(): void;
}

/** Every proxy adds X-Forwarded-For to what it has read as a request. */
export function recordAnswers(): RecordedAnswers {
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
    hasNext: (id) => next.has(id),
    hidden: (id) => {
      if (!hidden.has(id)) return 'not answered';
      return hidden.get(id) ? 'forwarded by the proxy' : 'smuggled';
    },
    stop: () => void unsubscribe(CHANNEL, record),
  };
}
