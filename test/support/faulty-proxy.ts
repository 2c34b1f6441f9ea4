import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Defer } from './defer.ts';
import { openHttpServer } from './http-server.ts';

/**
 * What happens to a request. `lost`: the connection is reset, and the request never arrives. `late`: it is reset, and the
 * request arrives a moment later. `unanswered`: it is reset after the server has done what was asked. `truncated`: half of
 * the answer arrives. `delayed`: the answer arrives late. `500` and `503` are answers of the proxy in place of the server.
 */
export const PROXY_FAULTS = ['lost', 'late', 'unanswered', 'truncated', 'delayed', '500', '503'] as const;
export type ProxyFault = (typeof PROXY_FAULTS)[number];

/** A fault at one request, counted from 1 since `arm`; a lasting one is at all requests from that on. */
export interface ArmedFault {
  kind: ProxyFault;
  at: number;
  isLasting: boolean;
}

export interface FaultyProxy {
  origin: string;
  /** Counts requests anew, and injects the fault. */
  arm(fault: ArmedFault): void;
  /** Injects nothing from now on. Resolves with the number of requests since `arm`, once late ones have arrived. */
  disarm(): Promise<number>;
}

interface Answer {
  status: number;
  headers: IncomingMessage['rawHeaders'];
  body: Buffer;
}

const LATE_MS = 300;
const CODES = { 500: 'InternalError', 503: 'SlowDown' };

/** A proxy in front of a server of S3. It reads requests and answers whole before it passes them on. */
export async function openFaultyProxy(defer: Defer, target: string): Promise<FaultyProxy> {
  let fault: ArmedFault | undefined;
  let requests = 0;
  let late: Promise<unknown>[] = [];

  function takeFault(): ProxyFault | undefined {
    requests += 1;
    if (!fault || requests < fault.at) return undefined;
    return fault.isLasting || requests === fault.at ? fault.kind : undefined;
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const kind = takeFault();
    const body = await buffer(incoming);
    const forwarded = () => forward(target, incoming, body);
    if (kind === 'lost') response.destroy();
    else if (kind === 'late') {
      response.destroy();
      late.push(sleep(LATE_MS).then(forwarded, () => {}));
    } else if (kind === '500' || kind === '503') refuse(response, Number(kind) as 500 | 503);
    else await answer(response, await forwarded(), kind);
  }

  const origin = await openHttpServer(defer, (incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  return {
    origin,
    arm(next) {
      requests = 0;
      fault = next;
    },
    async disarm() {
      fault = undefined;
      await Promise.allSettled(late);
      late = [];
      return requests;
    },
  };
}

/** The headers stay as they are, because they are signed. */
async function forward(target: string, { method, url, rawHeaders }: IncomingMessage, body: Buffer) {
  const { hostname, port } = new URL(target);
  const outgoing = request({ hostname, port, method, path: url, headers: rawHeaders, agent: false });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode ?? 502,
    headers: response.rawHeaders,
    body: await buffer(response),
  };
}

async function answer(
  response: ServerResponse,
  { status, headers, body }: Answer,
  kind: ProxyFault | undefined,
): Promise<void> {
  if (kind === 'unanswered') return void response.destroy();
  if (kind === 'delayed') await sleep(LATE_MS);
  if (kind === 'truncated' && body.length < 2) return void response.socket?.end('HTTP/1.1 2');
  response.writeHead(status, headers);
  if (kind === 'truncated') response.write(body.subarray(0, body.length / 2), () => response.destroy());
  else response.end(body);
}

function refuse(response: ServerResponse, status: 500 | 503): void {
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${CODES[status]}</Code><Message>fault</Message></Error>`);
}
