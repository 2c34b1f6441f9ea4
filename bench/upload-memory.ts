import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * The memory that the service takes for uploads: one of 1 GB, then sixteen at once, each by POST and by PATCH. Prints the growth of its resident
 * memory, which is sampled continuously. Linux only (/proc).
 */

const MB = 1024 ** 2;
const SAMPLE_EVERY_MS = 50;
const SCENES = [
  { name: 'one of 1 GB', uploads: 1, megabytes: 1024, send: upload },
  { name: 'sixteen at once, 256 MB each', uploads: 16, megabytes: 256, send: upload },
  { name: 'one of 1 GB, resumable', uploads: 1, megabytes: 1024, send: uploadResumable },
  { name: 'sixteen at once, 256 MB each, resumable', uploads: 16, megabytes: 256, send: uploadResumable },
];

for (const scene of SCENES) await measure(scene);

/** Each scene has a service of its own, because memory that one scene has freed would serve the next. */
async function measure({ name, uploads, megabytes, send }: (typeof SCENES)[number]): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tayang-bench-'));
  const serve = spawn(process.execPath, [path.resolve(import.meta.dirname, '../src/start.js'), 'serve'], {
    env: {
      ...process.env,
      DATA_DIR: folder,
      REFRESH_CRON: 'off',
      PORT: '0',
      UPLOAD_PORT: '0',
      UPLOAD_MAX_SIZE: '2 GB',
      UPLOAD_QUOTA: '20 GB',
      UPLOAD_ADDRESS_QUOTA: '20 GB',
    },
  });
  try {
    const address = await listening(serve);
    await send(address, 1);
    const before = await residentBytes(serve);
    const sampler = sampleMaximum(serve);
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: uploads }, () => send(address, megabytes)));
    const seconds = (performance.now() - startedAt) / 1_000;
    const growth = (await sampler.stop()) - before;
    const rate = (uploads * megabytes) / seconds;
    console.log(`${name}: ${inMb(before)} before, +${inMb(growth)} at most, ${rate.toFixed(0)} MB/s`);
  } finally {
    serve.kill('SIGTERM');
    await once(serve, 'close');
    await rm(folder, { recursive: true });
  }
}

async function listening(child: ChildProcess): Promise<string> {
  let output = '';
  for await (const text of child.stdout!.setEncoding('utf8')) {
    output += text;
    const address = /uploads listening on (http:\/\/[\d.:]+)/u.exec(output)?.[1];
    if (address) {
      child.stdout!.resume();
      return address;
    }
  }
  throw new Error(`the service did not start:\n${output}`);
}

async function upload(address: string, megabytes: number): Promise<void> {
  const boundary = 'tayang-bench';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="x.bin"\r\n\r\n`;
  const tail = `\r\n--${boundary}--\r\n`;
  const sending = request(`${address}/upload`, {
    method: 'POST',
    headers: {
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': head.length + megabytes * MB + tail.length,
    },
  });
  const answered = once(sending, 'response');
  const block = Buffer.alloc(MB, 'tayang');
  await pipeline(
    Readable.from([Buffer.from(head), ...Array(megabytes).fill(block), Buffer.from(tail)]),
    sending,
  );
  const [response] = await answered;
  if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
  response.resume();
}

async function uploadResumable(address: string, megabytes: number): Promise<void> {
  const created = await fetch(`${address}/files`, {
    method: 'POST',
    headers: { 'Tus-Resumable': '1.0.0', 'Upload-Length': String(megabytes * MB) },
  });
  const sending = request(created.headers.get('Location') ?? '', {
    method: 'PATCH',
    headers: {
      'Tus-Resumable': '1.0.0',
      'Upload-Offset': 0,
      'Content-Length': megabytes * MB,
      'Content-Type': 'application/offset+octet-stream',
    },
  });
  const answered = once(sending, 'response');
  const block = Buffer.alloc(MB, 'tayang');
  await pipeline(Readable.from(Array(megabytes).fill(block)), sending);
  const [response] = await answered;
  if (response.statusCode !== 204) throw new Error(`answered ${response.statusCode}`);
  response.resume();
}

async function residentBytes(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/u.exec(status)?.[1]) * 1024;
}

function sampleMaximum(child: ChildProcess) {
  let most = 0;
  const sample = async () => {
    most = Math.max(most, await residentBytes(child));
  };
  const timer = setInterval(sample, SAMPLE_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await sample();
      return most;
    },
  };
}

function inMb(bytes: number): string {
  return `${(bytes / MB).toFixed(0)} MB`;
}
