import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  sockets(): Iterable<Socket>;
  /** Whether something else that is written to a connection would get into an answer. */
  isAnswering(socket: Socket): boolean;
  /** Destroys every connection without a request in flight; one whose headers are still coming has none. */
  closeIdle(): void;
}

/** Tracks the connections of a server, each with its latest response. `events` are those that bring a request. */
export function trackConnections(server: Server, events: readonly string[]): Connections {
  const latest = new Map<Socket, ServerResponse | undefined>();
  /** Those that came before the answer to the request before them. */
  const pipelined = new WeakSet<ServerResponse>();
  server.on('connection', (socket) => {
    latest.set(socket, undefined);
    socket.once('close', () => latest.delete(socket));
  });
  const note = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    if (!latest.has(socket)) return;
    if (responseOn(socket)) pipelined.add(response);
    latest.set(socket, response);
  };
  for (const event of events) server.on(event, note);

  /** Pipelined responses are sent in order: once the latest is sent, all are. */
  function responseOn(socket: Socket): ServerResponse | undefined {
    const response = latest.get(socket);
    return response && !response.writableFinished ? response : undefined;
  }

  return {
    sockets: () => latest.keys(),
    isAnswering(socket) {
      const response = responseOn(socket);
      return response !== undefined && (response.headersSent || pipelined.has(response));
    },
    closeIdle() {
      for (const socket of latest.keys()) if (!responseOn(socket)) socket.destroy();
    },
  };
}
