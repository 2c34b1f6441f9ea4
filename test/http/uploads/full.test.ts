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
  type TestUploads,
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

/** Begins an upload that does not end, of more bytes than are gathered before the first write. */
async function hold(uploads: TestUploads, address: string, bytes: number) {
  const body = bodyOf(bytes);
  const { socket } = await uploads.openSocket();
  socket.write(postHead({ 'Content-Length': body.length, 'X-Forwarded-For': address }));
  socket.write(body.subarray(0, -2));
  await expect.poll(uploads.held).not.toHaveLength(0);
  return socket;
}

test('bytes of unfinished uploads count, and their space is released when they are aborted', async () => {
  const uploads = await openUploads(onTestFinished, { ...SIZES, UPLOAD_ADDRESS_QUOTA: '1 MB' });
  const socket = await hold(uploads, '192.0.2.1', 800 * KB);
  expectRefusal(await uploads.post(bodyOf(400 * KB), from('192.0.2.1')), 507);
  await uploads.upload(randomBytes(200 * KB), from('192.0.2.1'));
  socket.destroy();
  await expect.poll(() => uploads.post(bodyOf(700 * KB), from('192.0.2.1'))).toMatchObject({ status: 200 });
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
