import { expect, test } from 'vitest';
import { storeFailureReason } from '../../src/store/store-failure.ts';

const coded = (message: string, code: object) => Object.assign(new Error(message), code);

test.each([
  [coded('connect ECONNREFUSED 10.0.0.5:6379', { code: 'ECONNREFUSED' }), /cannot be reached/u],
  [
    new Error('redis://10.0.0.5:6379 cannot be reached', {
      cause: coded('getaddrinfo ENOTFOUND cache.inner', { code: 'ENOTFOUND' }),
    }),
    /its name is not known/u,
  ],
  [coded("ENOSPC: no space left on device, write '/srv/data/x'", { code: 'ENOSPC' }), /no room left/u],
  [coded('database or disk is full', { errcode: 13 }), /no room left/u],
  [coded('disk I/O error', { errcode: 10 | (12 << 8) }), /disk failed/u],
  [new Error('redis://10.0.0.5:6379 cannot be reached: no answer'), /the log says why/u],
  ['10.0.0.5', /the log says why/u],
])('the public reason for %s contains no address and no path', (error, expected) => {
  expect(storeFailureReason(error)).toMatch(expected);
  expect(storeFailureReason(error)).not.toMatch(/\d|\//u);
});
