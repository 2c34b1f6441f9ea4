import type { Command, Replies, ThreadRequest } from './messages.ts';

/** Asks a thread. Resolves with undefined when it does not reply in time. */
export type SendRequest = <Request extends ThreadRequest>(
  request: Request,
) => Promise<Replies[Request['kind']] | undefined>;

/** The requests to a thread that have no reply yet. */
export interface ThreadRequests {
  send: SendRequest;
  /** The thread has replied to a request. */
  settle(id: number, reply: unknown): void;
  /** Nothing is expected of the thread any more. */
  end(): void;
}

/** How long a reply may take. A scrape does not wait for a thread that is busy. */
const REPLY_TIMEOUT_MS: Record<ThreadRequest['kind'], number> = {
  metrics: 1_000,
  push: 5_000,
  // Discord has thirty seconds to accept the first message.
  channel: 35_000,
  event: 5_000,
  'read-store': 5_000,
  cover: 5_000,
};

export function createThreadRequests(post: (command: Command) => void): ThreadRequests {
  /** What settles each request, by its id. */
  const pending = new Map<number, (reply: unknown) => void>();
  let count = 0;
  let isOver = false;

  const send: SendRequest = async (request) => {
    if (isOver) return undefined;
    count += 1;
    const id = count;
    return new Promise((resolve) => {
      const settle = (reply: unknown) => {
        clearTimeout(timer);
        pending.delete(id);
        // The thread replies to each kind of request with the type that `Replies` has for it.
        resolve(reply as never);
      };
      const timer = setTimeout(settle, REPLY_TIMEOUT_MS[request.kind], undefined);
      timer.unref();
      pending.set(id, settle);
      post({ type: 'request', id, request });
    });
  };

  return {
    send,
    settle: (id, reply) => pending.get(id)?.(reply),
    end() {
      isOver = true;
      for (const settle of pending.values()) settle(undefined);
    },
  };
}
