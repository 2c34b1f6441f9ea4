import { beforeAll, expect, test } from 'vitest';
import { MORE } from '../support/more-runs.ts';
import { openTestS3, type TestS3 } from '../support/s3.ts';
import { untilEnd } from '../support/until-end.ts';
import { faultEveryRequest } from './s3/fault-requests.ts';

/** Each with how many requests apart it is tried; `TEST_RUNS=30` tries every request. */
const SAMPLE = [
  ['upload', 'unanswered', false, 8],
  ['upload', 'lost', true, 12],
  ['deletion', 'late', false, 6],
  ['sweep', '500', true, 6],
  ['download', 'truncated', false, 3],
  ['resumable', 'unanswered', false, 18],
  ['resumable', 'lost', true, 30],
] as const;

const defer = untilEnd();
let s3: TestS3;

beforeAll(async () => {
  s3 = await openTestS3(defer);
});

test.each(SAMPLE)(
  'the operation "%s" leaves nothing half done on S3 after the fault "%s" (lasting: %s)',
  async (operation, kind, isLasting, stride) => {
    const { runs, failures } = await faultEveryRequest(
      { operation, kind, isLasting },
      s3.url,
      Math.ceil(stride / MORE),
    );
    expect(failures).toEqual([]);
    expect(runs).toBeGreaterThan(0);
  },
);
