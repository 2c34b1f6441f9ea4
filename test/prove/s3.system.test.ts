import { beforeAll, describe, expect, test } from 'vitest';
import { CEPH } from '../support/ceph.ts';
import type { Defer } from '../support/defer.ts';
import { MORE } from '../support/more-runs.ts';
import { describeWith, hasProgram } from '../support/needs.ts';
import { openTestS3 } from '../support/s3.ts';
import type { TestBucket } from '../support/s3-bucket.ts';
import { SWIFT } from '../support/swift.ts';
import { untilEnd } from '../support/until-end.ts';
import { faultEveryRequest } from './s3/fault-requests.ts';

/** Each with how many requests apart it is tried; `TEST_RUNS=30` tries every request. Real servers are tried with the first alone. */
const SAMPLE = [
  ['upload', 'unanswered', false, 8],
  ['upload', 'lost', true, 12],
  ['deletion', 'late', false, 6],
  ['sweep', '500', true, 6],
  ['download', 'truncated', false, 3],
  ['resumable', 'unanswered', false, 18],
  ['resumable', 'lost', true, 30],
] as const;
/** For one row of the sample. */
const MAX_MS = 60_000;

function faultsOn(
  open: (defer: Defer) => Promise<TestBucket>,
  sample: readonly (typeof SAMPLE)[number][] = SAMPLE,
): void {
  const defer = untilEnd();
  let server: TestBucket;

  beforeAll(async () => {
    server = await open(defer);
  });

  test.each(sample)(
    'the operation "%s" leaves nothing half done after the fault "%s" (lasting: %s)',
    async (operation, kind, isLasting, stride) => {
      const { runs, failures } = await faultEveryRequest(
        { operation, kind, isLasting },
        server.url,
        Math.ceil(stride / MORE),
      );
      expect(failures).toEqual([]);
      expect(runs).toBeGreaterThan(0);
    },
    MAX_MS * MORE,
  );
}

describe('on the S3 of the tests', () => faultsOn(openTestS3));
for (const { program, needs, open } of [SWIFT, CEPH]) {
  const sample = MORE > 1 ? SAMPLE : SAMPLE.slice(0, 1);
  describeWith(hasProgram(program), needs)(`on ${program}`, () => faultsOn(open, sample));
}
