import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { compareAnswer, readExpectedAnswers, type WAYS } from './expected-answers.ts';
import { type RecordedAnswers, recordAnswers } from './record-answers.ts';
import { runAll } from './run-all.ts';
import { renderText, type Text } from './text.ts';

/** A request that servers read in different ways, or that few of them are sent. */
interface OddRequest {
  name: string;
  to: 'listing' | 'uploads';
  /**
   * What is sent, in Latin-1. `{host}` stands for the host of the origin, `{id}` for a mark of this request, `{hidden}` for
   * another request within it, `{hidden+N}` for the length of that one plus N, and `{hidden hex}` for it in hexadecimal.
   */
  bytes: string;
}

export interface Origins {
  listing: string;
  uploads: string;
}

interface Table {
  /** What stands for longer text in requests, and in the variables after it. */
  variables: Record<string, string>;
  requests: { name: string; bytes: Text }[];
}

const AT_ONCE = 24;
/** How long a server may be silent: one that is silent waits for more of the request. */
const MAX_SILENT_MS = 15_000;
const ANSWER = /HTTP\/1\.[01] \d{3} .*?(?=HTTP\/1\.[01] \d{3} |$)/gsu;

const TABLE: Table = JSON.parse(readFileSync(path.join(import.meta.dirname, 'odd-requests.json'), 'utf8'));

export const ODD_REQUESTS: OddRequest[] = TABLE.requests.map(({ name, bytes }) =>
  oddRequest(name, renderText(bytes)),
);

/** Makes a request of a text with the variables of the table. All but `POST /upload` goes to the listing. */
export function oddRequest(name: string, text: string): OddRequest {
  let bytes = text;
  for (const [variable, value] of Object.entries(TABLE.variables))
    bytes = bytes.replaceAll(`{${variable}}`, value);
  return { name, to: bytes.startsWith('POST /upload') ? 'uploads' : 'listing', bytes };
}

/** Sends odd requests to these origins, those of the service or of a proxy; resolves with what is wrong about the answers. */
export async function runHttp(
  way: (typeof WAYS)[number],
  origins: Origins,
  requests: readonly OddRequest[] = ODD_REQUESTS,
): Promise<string[]> {
  const recorded = recordAnswers();
  const expected = readExpectedAnswers();
  const run = async ([index, request]: [number, OddRequest]) => {
    const id = `${way.replace(' ', '-')}-${index}`;
    const { answer, wasSmuggled } = await runOddRequest(request, origins, id, recorded);
    const answers = expected.get(request.name) ?? { answers: ['one that the table has'] };
    const wrong = compareAnswer(answers, way, answer);
    return [
      ...(wasSmuggled ? [`${request.name}: the hidden request was answered`] : []),
      ...(wrong ? [`${request.name}: ${wrong}`] : []),
    ];
  };
  try {
    return (await runAll(requests.entries(), AT_ONCE, run)).flat();
  } finally {
    recorded.stop();
  }
}

/**
 * Sends an odd request, and then an ordinary one over the same connection. `id`: unique in the process. Resolves with the
 * statuses of the answers, those of a proxy itself in parentheses, or with what came instead of an answer; and whether the
 * service has answered a hidden request that no proxy before it had read as one.
 */
export async function runOddRequest(
  { to, bytes }: OddRequest,
  origins: Origins,
  id: string,
  recorded: RecordedAnswers,
): Promise<{ answer: string; wasSmuggled: boolean }> {
  const { host } = new URL(origins[to]);
  const hidden = `GET /hidden HTTP/1.1\r\nHost: ${host}\r\nX-Hidden: ${id}\r\n\r\n`;
  const sent = bytes
    .replaceAll('{host}', host)
    .replaceAll('{id}', id)
    .replaceAll('{hidden}', hidden)
    .replaceAll('{hidden hex}', hidden.length.toString(16))
    .replaceAll(/\{hidden\+(\d+)\}/gu, (_, more) => String(hidden.length + Number(more)));
  const next = `GET /robots.txt?${id} HTTP/1.1\r\nHost: ${host}\r\nX-Next: ${id}\r\nConnection: close\r\n\r\n`;
  const received = await exchange(origins[to], sent, next);
  const answers = received.match(ANSWER)?.filter(isFinal).map(present) ?? [];
  if (recorded.hasNext(id)) answers.pop();
  const answer = answers.join(' ') || (received ? 'no head' : 'none');
  return { answer, wasSmuggled: recorded.isSmuggled(id) };
}

/** Whether a proxy answers 100 depends on how much of the body it has read by then. */
function isFinal(answer: string): boolean {
  return !answer.slice(9).startsWith('1');
}

/** The service sends `X-Content-Type-Options` with every answer. */
function present(answer: string): string {
  const status = answer.slice(9, 12);
  return /^x-content-type-options:/imu.test(answer) ? status : `(${status})`;
}

/**
 * Sends bytes over a new connection, and `next` over the same one as soon as an answer begins. Resolves with all that
 * has arrived when the server ends the connection, or has been silent for long.
 */
function exchange(origin: string, bytes: string, next: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  let received = '';
  socket.setTimeout(MAX_SILENT_MS, () => socket.destroy());
  socket.write(Buffer.from(bytes, 'latin1'));
  socket.on('data', (text: string) => {
    if (received === '') socket.write(next);
    received += text;
  });
  // A server that has refused the request resets the connection when more arrives.
  socket.on('error', () => {});
  socket.on('end', () => socket.destroy());
  socket.on('close', () => resolve(received));
  return promise;
}
