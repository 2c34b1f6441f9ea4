import { expect, onTestFinished, test } from 'vitest';
import { scrape } from './support/metrics.ts';
import { describeWithRedis, openTestRedis } from './support/redis.ts';
import { openTestS3, S3_KEY } from './support/s3.ts';
import { eventually, runCommand, startServe, temporaryFolder } from './support/service.ts';
import { filePart, multipart, post, send, upload } from './support/upload-client.ts';

const defer = onTestFinished;

type Service = Awaited<ReturnType<typeof startServe>>;

/** Two services on one Redis and one bucket, as two machines would run them, and the operator's command beside them. */
async function open() {
  const redis = await openTestRedis(defer);
  const s3 = await openTestS3(defer);
  const shared = {
    ...S3_KEY,
    DATA_DIR: await temporaryFolder(defer),
    SERVE: 'uploads',
    UPLOAD_STORAGE_URL: s3.url(),
    UPLOAD_LIMITER_URL: redis.url(),
    METRICS_PORT: '0',
  };
  const services = await Promise.all([1, 2].map(() => startServe(shared, defer)));

  /** Runs `uploads` with these arguments; resolves with its JSON. */
  async function runUploads(...args: string[]) {
    const command = runCommand(['uploads', ...args], shared, defer);
    const code = await command.ended;
    if (code !== 0) throw new Error(command.output());
    return JSON.parse(command.output());
  }

  return { s3, services, runUploads };
}

async function countFiles({ operations }: Service): Promise<number | undefined> {
  return (await scrape(operations)).sample('tayang_stored_files');
}

describeWithRedis('the commands of the operator beside two processes on Redis and S3', () => {
  test('a reported file is found, removed for legal reasons and blocked in all processes within 5 seconds', async () => {
    const { s3, services, runUploads } = await open();
    const [one, other] = services as [Service, Service];
    const content = 'what nobody should have put here';
    const file = await upload(one.address, content, { name: 'pamflet.txt' });
    const innocent = await upload(other.address, '%PDF-1.7\n', { name: 'resep.pdf' });

    const body = Buffer.from(JSON.stringify({ reason: 'illegal', note: 'look at \u001b[31mpage 3' }));
    const headers = { 'Content-Type': 'application/json' };
    const report = () => send(other.address, { method: 'POST', path: `/r/${file.id}`, headers, body });
    expect((await report()).status).toBe(202);
    await other.printed(new RegExp(`"type":"file-reported","id":"${file.id}","reason":"illegal"`, 'u'));

    expect(await runUploads('list')).toMatchObject([
      { id: innocent.id, type: 'application/pdf', reports: 0 },
      { id: file.id, name: 'pamflet.txt', address: '127.0.0.1', reports: 1 },
    ]);
    expect(await runUploads('reports')).toMatchObject([{ id: file.id, note: 'look at \u001b[31mpage 3' }]);

    const counted = (service: Service, files: number) =>
      eventually(
        () => countFiles(service),
        (count) => count === files,
      );
    for (const service of services) await counted(service, 2);
    const removed = await runUploads('remove', file.id, '--legal', '--block');
    expect(removed).toMatchObject({ id: file.id, reason: 'legal', blocked: true });
    for (const { address } of services) {
      for (const path of [file.page, file.file]) expect((await send(address, { path })).status).toBe(451);
    }
    for (const service of services) await counted(service, 1);
    for (const { address } of services) {
      const again = () => post(address, multipart(filePart('liburan.zip', content)));
      await expect.poll(again).toMatchObject({ status: 403 });
      const kept = s3.keys();
      expect((await again()).json()).toEqual({ status: false, message: expect.stringContaining('blocked') });
      expect(s3.keys()).toEqual(kept);
    }

    expect(await runUploads('blocked')).toEqual([`sha256:${removed.sha256}`]);
    expect(await runUploads('reports')).toEqual([]);
    expect((await send(one.address, { path: innocent.file })).text).toBe('%PDF-1.7\n');
    expect((await upload(one.address, 'also harmless')).id).toBeDefined();
  });
});
