import { CONDITIONAL_CASES } from './conditional/conditional-cases.ts';
import { prepareConditional } from './conditional/run-conditional.ts';
import { readExpectedAnswers, type WAYS } from './http/expected-answers.ts';
import type { OddRequest } from './http/odd-request.ts';
import { ODD_REQUESTS } from './http/odd-requests.ts';
import { recordAnswers } from './http/record-answers.ts';
import type { Origins } from './http/run-odd-request.ts';
import { runOddRequests } from './http/run-odd-requests.ts';
import type { MultipartCase } from './multipart/multipart-case.ts';
import { runMultipartCase } from './multipart/run-multipart.ts';
import { runAll } from './report.ts';

const AT_ONCE = 8;

/** What the service needs for all cases to come from one address, and the listing to stay as it is. */
export const CONFIGURATION = {
  UPLOAD_RATE_LIMIT: '10000',
  UPLOAD_CONCURRENCY: '1000',
  TRUST_PROXY: '1',
  REFRESH_PEEK: 'off',
};

/** Sends every body, whole or in chunks; resolves with what is wrong about the answers. */
export async function runMultipart(
  origin: string,
  cases: readonly MultipartCase[],
  isChunked: boolean,
): Promise<string[]> {
  const run = async (one: MultipartCase) => {
    const wrong = await runMultipartCase(origin, one, isChunked);
    return wrong ? [`${one.name}: ${wrong}`] : [];
  };
  return (await runAll(cases, AT_ONCE, run)).flat();
}

/** Sends every request with ranges or conditions; resolves with what is wrong about the answers. */
export async function runConditional(origins: Origins): Promise<string[]> {
  const cases = Object.values(CONDITIONAL_CASES).flat();
  const run = await prepareConditional(origins, cases);
  const results = await runAll(cases, AT_ONCE, async (one) =>
    (await run(one)).map((wrong) => `${one.name}: ${wrong}`),
  );
  return results.flat();
}

/** Sends odd requests to these origins, those of the service or of a proxy; resolves with what is wrong about the answers. */
export async function runHttp(
  way: (typeof WAYS)[number],
  origins: Origins,
  requests: readonly OddRequest[] = ODD_REQUESTS,
): Promise<string[]> {
  const recorded = recordAnswers();
  try {
    return await runOddRequests(requests, { way, origins }, readExpectedAnswers(), recorded);
  } finally {
    recorded.stop();
  }
}
