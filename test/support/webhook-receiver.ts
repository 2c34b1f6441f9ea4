import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Defer } from './defer.ts';
import { openHttpServer } from './http-server.ts';

interface ReceivedMessage {
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: JSON from outside
  body: any;
  status: number;
}

/** Answers a message; the status that it returns is sent when it has sent nothing itself. */
type AnswerMessage = (message: Omit<ReceivedMessage, 'status'>, response: ServerResponse) => number;

/** A real receiver on the loopback, which answers 204 unless `answer` is replaced. */
export async function openReceiver(defer: Defer) {
  const received: ReceivedMessage[] = [];
  const receiver = { url: '', received, answer: (() => 204) as AnswerMessage };
  const origin = await openHttpServer(defer, async (request, response) => {
    if (request.method !== 'POST') return void response.end();
    const message = { path: request.url ?? '', headers: request.headers, body: await json(request) };
    const status = receiver.answer(message, response);
    received.push({ ...message, status });
    if (status > 0) response.writeHead(status).end();
  });
  receiver.url = `${origin}/hook`;
  return receiver;
}

export type TestReceiver = Awaited<ReturnType<typeof openReceiver>>;
