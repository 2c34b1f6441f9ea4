import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import {
  expectRefusal,
  filePart,
  KB,
  MB,
  multipart,
  openUploads,
  postHead,
} from '../../support/upload-client.ts';

const SIZES = {
  UPLOAD_MAX_SIZE: '1 MB',
  UPLOAD_ADDRESS_QUOTA: '2 MB',
  UPLOAD_QUOTA: '3 MB',
  TRUST_PROXY: '1',
};
const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
const bodyOf = (bytes: number) => multipart(filePart('a.bin', randomBytes(bytes)));

test('507 is for an address that has used up its share, while others may upload', async () => {
  const uploads = await openUploads(onTestFinished, SIZES);
  const greedy = from('192.0.2.1');
  const first = await uploads.upload(randomBytes(MB), greedy);
  await uploads.upload(randomBytes(MB - 100 * KB), greedy);
  expectRefusal(await uploads.post(bodyOf(150 * KB), greedy), 507);
  // Each file takes whole blocks, with its description.
  await uploads.upload(randomBytes(80 * KB), greedy);
  await uploads.upload('x', from('192.0.2.2'));
  expect((await uploads.send({ method: 'DELETE', path: first.deletion })).status).toBe(204);
  await uploads.upload(randomBytes(900 * KB), greedy);
});

test('uploads that only declare a large size do not cause 507 for others', async () => {
  const uploads = await openUploads(onTestFinished, SIZES);
  for (let i = 0; i < 20; i += 1) {
    const { socket } = await uploads.openSocket();
    socket.write(postHead({ 'Content-Length': MB, 'X-Forwarded-For': `2001:db8:0:${i}::1` }));
    socket.write(filePart('a.bin', 'x'));
  }
  await uploads.upload(randomBytes(MB), from('192.0.2.1'));
  const most = { headers: { 'X-Forwarded-For': '2001:db8:0:1::2' } };
  await uploads.upload(randomBytes(600 * KB), most);
});
