import { expect, test } from 'vitest';
import { MULTIPART_CASES, runMultipart } from '../../prove/vectors/multipart.ts';
import { openOnce, openUploads } from '../../support/upload-client.ts';

const uploads = openOnce(openUploads);
let storedInAll = 0;

test.each(
  Object.entries(MULTIPART_CASES).flatMap(([name, cases]) => [
    { name, how: 'whole', cases },
    { name, how: 'in chunks', cases },
  ]),
)(
  'bodies that are sent $how are stored right, or refused with nothing left, as in the table of $name',
  async ({ how, cases }) => {
    expect(await runMultipart(uploads.origin, cases, how === 'in chunks')).toEqual([]);
    storedInAll += cases.filter(({ expected }) => typeof expected !== 'number').length;
    await expect.poll(uploads.kept).toHaveLength(storedInAll);
    await expect.poll(uploads.held).toEqual([]);
    expect(uploads.failures).toEqual([]);
  },
);
