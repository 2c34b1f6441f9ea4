import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  sockets(): Iterable<Socket>;
  /** The response that a connection is waiting for, or that is being sent over it. */
  responseOn(socket: Socket): ServerResponse | undefined;
  /** Destroys every connection without a request in flight; one whose headers are still coming has none. */
  closeIdle(): void;
}

/** Tracks the connections of a server, each with its latest response. `events` are those that bring a request. */
export function trackConnections(server: Server, events: readonly string[]): Connections {
  const latest = new Map<Socket, ServerResponse | undefined>();
  server.on('connection', (socket) => {
    latest.set(socket, undefined);
    socket.once('close', () => latest.delete(socket));
  });
  const note = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    if (latest.has(socket)) latest.set(socket, response);
  };
  for (const event of events) server.on(event, note);

  /** Pipelined responses are sent in order: once the latest is sent, all are. */
  function responseOn(socket: Socket): ServerResponse | undefined {
    const response = latest.get(socket);
    return response && !response.writableFinished ? response : undefined;
  }

  return {
    sockets: () => latest.keys(),
    responseOn,
    closeIdle() {
      for (const socket of latest.keys()) if (!responseOn(socket)) socket.destroy();
    },
  };
}
