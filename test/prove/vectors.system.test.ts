import { expect, test } from 'vitest';
import { MORE } from '../support/more-runs.ts';
import { describeWith } from '../support/needs.ts';
import { openReadyService } from '../support/service.ts';
import { openOnce, untilEnd } from '../support/until-end.ts';
import { readExpectedAnswers, WAYS } from './vectors/expected-answers.ts';
import { ODD_REQUESTS, oddRequest, runHttp, runOddRequest } from './vectors/odd-requests.ts';
import { recordAnswers } from './vectors/record-answers.ts';
import { CONFIGURATION, PROXIES } from './vectors/vectors.ts';

/** What is never answered takes seconds, and is sent with `TEST_RUNS=2`. The other cases are in test/http. */
const SENT = ODD_REQUESTS.filter(
  ({ name }) => MORE > 1 || !readExpectedAnswers().get(name)?.answers.includes('none'),
);

const defer = untilEnd();

const service = openOnce((defer) => openReadyService(defer, CONFIGURATION));

test('odd requests get the answers of the table, and none that is hidden in another one is answered', async () => {
  expect(await runHttp('the service', service, SENT)).toEqual([]);
});

for (const { name, isThere, start } of PROXIES)
  describeWith(isThere, name)(`through ${name}`, () => {
    test('odd requests get the answers of the table, and none is smuggled', async () => {
      expect(await runHttp(name, await start([service], defer), SENT)).toEqual([]);
      expect(service.failures).toEqual([]);
    });
  });

test('a hidden request that is answered is noticed', async () => {
  const recorded = recordAnswers();
  defer(recorded.stop);
  const pipelined = oddRequest('', '{upload}Content-Length: 148\r\n\r\n{body}{hidden}');
  const observed = await runOddRequest(pipelined, service, 'pipelined', recorded);
  expect(observed).toEqual({ answer: '200 404', wasSmuggled: true });
});

test('docs/vectors.md has an answer to every odd request, and no other', () => {
  const names = ODD_REQUESTS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const expected = readExpectedAnswers();
  expect([...expected.keys()].sort()).toEqual(names.toSorted());
  for (const { answers, why } of expected.values())
    expect(answers).toHaveLength(why === undefined ? 1 : WAYS.length);
});
