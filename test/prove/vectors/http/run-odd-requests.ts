import { runAll } from '../report.ts';
import { compareAnswer, type ExpectedAnswers, type WAYS } from './expected-answers.ts';
import type { OddRequest } from './odd-request.ts';
import type { RecordedAnswers } from './record-answers.ts';
import { type Origins, runOddRequest } from './run-odd-request.ts';

const AT_ONCE = 24;

/** Sends requests on one way to the service; resolves with what is wrong about the answers. */
export function runOddRequests(
  requests: readonly OddRequest[],
  { way, origins }: { way: (typeof WAYS)[number]; origins: Origins },
  expected: ReadonlyMap<string, ExpectedAnswers>,
  recorded: RecordedAnswers,
): Promise<string[]> {
  const run = async (request: OddRequest, index: number) => {
    const id = `${way.replace(' ', '-')}-${index}`;
    const { answer, wasSmuggled } = await runOddRequest(request, origins, id, recorded);
    const answers = expected.get(request.name) ?? { answers: ['one that the table has'] };
    const wrong = compareAnswer(answers, way, answer);
    return [
      ...(wasSmuggled ? [`${request.name}: the hidden request was answered`] : []),
      ...(wrong ? [`${request.name}: ${wrong}`] : []),
    ];
  };
  return runAll(requests.entries(), AT_ONCE, ([index, request]) => run(request, index)).then((all) =>
    all.flat(),
  );
}
