import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { announce } from './announce.ts';

/**
 * Pipes the body of each POST to a file, hashes it meanwhile and flushes it at the end; sends the same response to every
 * GET. Options: folder, and optionally answer, with the options of bench/baselines/answer.ts.
 */

const { folder, answer } = JSON.parse(process.argv[2] ?? '{}');
const bytes = answer && Buffer.from(answer.body, 'base64');
let files = 0;

const server = createServer({ keepAliveTimeout: 75_000, requestTimeout: 0 }, async (request, response) => {
  if (request.method === 'GET') {
    response.writeHead(answer.status, answer.headers).end(bytes);
    return;
  }
  files += 1;
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  await pipeline(request, hashing, createWriteStream(path.join(folder, `${files}`), { flush: true }));
  response.end(JSON.stringify({ status: true, sha256: hash.digest('hex') }));
});
announce(server);
