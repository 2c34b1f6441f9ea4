import { exchange } from './exchange.ts';
import type { OddRequest } from './odd-request.ts';
import type { RecordedAnswers } from './record-answers.ts';

export interface Origins {
  listing: string;
  uploads: string;
}

export interface Observation {
  /** The statuses of the answers, those of the proxy itself in parentheses; or what came instead of an answer. */
  answer: string;
  /** Whether the service has answered a hidden request that no proxy before it had read as one. */
  wasSmuggled: boolean;
}

/** Sends an odd request, and then an ordinary one over the same connection. `id`: unique in the process. */
export async function runOddRequest(
  { to, bytes }: OddRequest,
  origins: Origins,
  id: string,
  recorded: RecordedAnswers,
): Promise<Observation> {
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
  return { answer, wasSmuggled: recorded.hidden(id) === 'smuggled' };
}

const ANSWER = /HTTP\/1\.[01] \d{3} .*?(?=HTTP\/1\.[01] \d{3} |$)/gsu;

/** Whether a proxy answers 100 depends on how much of the body it has read by then. */
function isFinal(answer: string): boolean {
  return !answer.slice(9).startsWith('1');
}

/** The service sends `X-Content-Type-Options` with every answer. */
function present(answer: string): string {
  const status = answer.slice(9, 12);
  return /^x-content-type-options:/imu.test(answer) ? status : `(${status})`;
}
