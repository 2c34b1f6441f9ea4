import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Defer } from './defer.ts';
import { openHttpServer } from './http-server.ts';

/**
 * What happens to a request. `lost`: the connection is reset, and the request never arrives. `unanswered`: it is reset after
 * the server has answered. `status` and `headers`: the proxy answers in place of the server.
 */
export type FrontFault = 'lost' | 'unanswered' | { status: number; headers?: Record<string, string> };

/** Decides about a request; undefined passes it on. */
export type Decide = (incoming: IncomingMessage) => FrontFault | undefined;

export interface FrontProxy {
  origin: string;
  /** From now on, decides about each request. */
  decideBy(decide: Decide): void;
  /** From now on, passes all requests on. */
  passAll(): void;
  /** From now on, adds these headers to each answer of the service. */
  addHeaders(headers: Record<string, string>): void;
}

/** A proxy between a browser and the service, which passes requests and answers on as they come. */
export async function openFrontProxy(defer: Defer, target: () => string): Promise<FrontProxy> {
  const passing: Decide = () => undefined;
  let decide = passing;
  let added: string[] = [];

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = decide(incoming);
    if (fault === 'lost') return void incoming.socket.destroy();
    if (typeof fault === 'object') {
      // A browser may miss an answer that comes before it has sent everything.
      for await (const _ of incoming);
      return void response.writeHead(fault.status, fault.headers).end();
    }
    const { hostname, port } = new URL(target());
    const { method, url, headers } = incoming;
    const outgoing = request({ hostname, port, method, path: url, headers, agent: false });
    incoming.on('error', () => outgoing.destroy()).pipe(outgoing);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    if (fault === 'unanswered') {
      for await (const _ of answer);
      return void incoming.socket.destroy();
    }
    response.writeHead(answer.statusCode ?? 502, [...answer.rawHeaders, ...added]);
    answer.pipe(response);
  }

  const origin = await openHttpServer(defer, (incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  return {
    // Without TLS, browsers have locks and service workers on localhost only.
    origin: origin.replace('127.0.0.1', 'localhost'),
    decideBy(next) {
      decide = next;
    },
    passAll() {
      decide = passing;
    },
    addHeaders(headers) {
      added = Object.entries(headers).flat();
    },
  };
}
