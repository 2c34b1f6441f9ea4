import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { checkLimiter } from '../../src/doctor/upload-services.ts';
import { checkUploadStorage } from '../../src/doctor/upload-storage.ts';
import { describeWithRedis, findFreePort, openTestRedis } from '../support/redis.ts';
import { openTestS3, refuse, type TestS3 } from '../support/s3.ts';
import { configOf, findings } from './support/findings.ts';

describe('uploads in S3', () => {
  let s3: TestS3;

  beforeEach(async () => {
    s3 = await openTestS3(onTestFinished);
  });

  async function runCheck(): Promise<string[]> {
    return findings(checkUploadStorage, configOf({ UPLOAD_STORAGE_URL: s3.url('tayang') }), 20_000);
  }

  test('are written, read and removed, without remains', async () => {
    const found = await runCheck();
    expect(found).toEqual([
      'ok: free space: unlimited',
      'ok: s3://uploads: a test file could be stored and deleted',
      expect.stringMatching(/^ok: set this lifecycle rule/u),
    ]);
    // A day, and the three and a half hours that the largest upload may take.
    expect(JSON.parse(found.at(-1)!.slice(found.at(-1)!.indexOf('{')))).toEqual({
      Status: 'Enabled',
      Filter: { Prefix: 'tayang/' },
      Expiration: { Days: 2 },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
    });
    await expect.poll(() => [...s3.keys(), ...s3.unfinished()]).toEqual([]);
  });

  test('are a problem when the server keeps what is removed', async () => {
    s3.fault = (ctx) => {
      if (ctx.method === 'DELETE') ctx.status = 200;
      return ctx.method === 'DELETE';
    };
    expect(await runCheck()).toContainEqual(
      expect.stringMatching(/ the test file is still there after its deletion/u),
    );
  });

  test('that are refused are a problem with advice', async () => {
    s3.fault = (ctx) => refuse(ctx, 403, 'AccessDenied');
    expect(await runCheck()).toContainEqual(
      expect.stringMatching(/^problem: s3:.* cannot be used: .*AccessDenied.*read, write and delete/u),
    );
    await s3.stop();
    expect(await runCheck()).toContainEqual(expect.stringMatching(/^problem: .*ECONNREFUSED.*endpoint/u));
    await s3.start();
  });
});

describe('the limiter', () => {
  const runCheck = (UPLOAD_LIMITER_URL: string) =>
    findings(checkLimiter, configOf({ UPLOAD_LIMITER_URL }), 5_000);

  test('in memory is ok', async () => {
    expect(await runCheck('memory:')).toEqual([
      expect.stringMatching(/^ok: each process counts.*several share one storage.*Redis/u),
    ]);
  });

  test('in an unreachable Redis is a problem', async () => {
    expect(await runCheck(`redis://127.0.0.1:${await findFreePort()}`)).toEqual([
      expect.stringMatching(/^problem: redis:.*so uploads get 503: .*ECONNREFUSED.*UPLOAD_LIMITER_URL$/u),
    ]);
  });

  describeWithRedis('in Redis', () => {
    test('is ok when it answers', async () => {
      const redis = await openTestRedis(onTestFinished);
      expect(await runCheck(redis.url())).toEqual([expect.stringMatching(/^ok: redis:.* answers$/u)]);
    });
  });
});
