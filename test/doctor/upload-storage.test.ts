import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { checkLimiter } from '../../src/doctor/limiter.ts';
import { checkUploadStorage } from '../../src/doctor/upload-storage.ts';
import { describeWithRedis, findFreePort, openTestRedis } from '../support/redis.ts';
import { openTestS3, refuse, type TestS3 } from '../support/s3.ts';
import { contextOf, findings } from './support/findings.ts';

describe('uploads in S3', () => {
  let s3: TestS3;

  beforeEach(async () => {
    s3 = await openTestS3(onTestFinished);
  });

  async function runCheck(): Promise<string[]> {
    const check = checkUploadStorage(contextOf({ UPLOAD_STORAGE_URL: s3.url('tayang') }));
    return findings(check, 20_000);
  }

  test('are written, read and removed, small and large, without remains', async () => {
    const found = await runCheck();
    expect(found).toEqual([
      'ok: s3://uploads opens, keeps what is put there, and has nothing of what is removed',
      'ok: it continues and removes resumable uploads',
      'ok: free space: no limit is known',
      'ok: it takes large uploads in parts',
      expect.stringMatching(/^ok: a lifecycle rule removes what is left/u),
    ]);
    // A day, and the three and a half hours that the largest upload may take.
    expect(JSON.parse(found.at(-1)!.slice(found.at(-1)!.indexOf('{')))).toEqual({
      Status: 'Enabled',
      Filter: { Prefix: 'tayang/' },
      Expiration: { Days: 2 },
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
    });
    expect(s3.requests.filter((request) => request.startsWith('PUT')).length).toBeGreaterThan(4);
    await expect.poll(() => [...s3.keys(), ...s3.unfinished()]).toEqual([]);
  });

  test.each([
    ['keeps what is removed', 'DELETE', / what was removed is still there/u],
    ['lists nothing and keeps one version of an object', 'GET', /does not continue where it ended/u],
  ])('are a problem when the server %s', async (_, method, problem) => {
    s3.fault = (ctx) => {
      const isListing = ctx.query['list-type'] !== undefined;
      if (ctx.method !== method || (method === 'GET' && !isListing && !ctx.path.endsWith('/chain')))
        return false;
      ctx.status = method === 'GET' && !isListing ? 404 : 200;
      if (ctx.status === 404) return refuse(ctx, 404, 'NoSuchKey');
      ctx.body = isListing ? '<ListBucketResult/>' : '';
    };
    expect(await runCheck()).toContainEqual(expect.stringMatching(problem));
  });

  test('that are refused are a problem with advice', async () => {
    s3.fault = (ctx) => refuse(ctx, 403, 'AccessDenied');
    expect(await runCheck()).toContainEqual(
      expect.stringMatching(/^problem: s3:.* cannot be written to: .*AccessDenied.*read, write and delete/u),
    );
    s3.fault = (ctx) => ctx.query.partNumber !== undefined && refuse(ctx, 403, 'AccessDenied');
    expect(await runCheck()).toContainEqual(
      expect.stringMatching(/^problem: s3:.* cannot take large uploads/u),
    );
    await s3.stop();
    expect(await runCheck()).toContainEqual(expect.stringMatching(/^problem: .*ECONNREFUSED.*endpoint/u));
    await s3.start();
  });
});

describe('the limiter', () => {
  const runCheck = (UPLOAD_LIMITER_URL: string) =>
    findings(checkLimiter(contextOf({ UPLOAD_LIMITER_URL })), 5_000);

  test('in memory is ok', async () => {
    expect(await runCheck('memory:')).toEqual([
      expect.stringMatching(/^ok: each process counts.*several processes.*need Redis/u),
    ]);
  });

  test('in an unreachable Redis is a problem', async () => {
    expect(await runCheck(`redis://127.0.0.1:${await findFreePort()}`)).toEqual([
      expect.stringMatching(/^problem: redis:.*ECONNREFUSED.*answered 503 meanwhile.*UPLOAD_LIMITER_URL$/u),
    ]);
  });

  describeWithRedis('in Redis', () => {
    test('is ok when it answers', async () => {
      const redis = await openTestRedis(onTestFinished);
      expect(await runCheck(redis.url())).toEqual([expect.stringMatching(/^ok: redis:.* answers$/u)]);
    });
  });
});
