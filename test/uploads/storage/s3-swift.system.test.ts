import { beforeAll, beforeEach, describe } from 'vitest';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import { resumableContract } from '../../contracts/resumable-storage.ts';
import { s3ResumableContract } from '../../contracts/s3-resumable.ts';
import { storageContract } from '../../contracts/storage.ts';
import { describeWithSwift, openTestSwift, type TestSwift, useSwiftKey } from '../../support/swift.ts';
import { untilEnd } from '../../support/until-end.ts';

describeWithSwift('OpenStack Swift', () => {
  const defer = untilEnd();
  let swift: TestSwift;

  beforeAll(async () => {
    useSwiftKey();
    swift = await openTestSwift(defer);
  });

  const open = (url: string, clock: () => number) => openS3Storage(url, { clock, report: () => {} });

  storageContract('a bucket', (clock) => open(swift.url(), clock));

  describe('a bucket of one test', () => {
    let url: string;

    beforeEach(() => {
      url = swift.url();
    });

    resumableContract('a bucket', (clock) => open(url, clock), { hasRaces: true });
    s3ResumableContract('a bucket', () => open(url, Date.now));
  });
});
