import { createServer } from 'node:http';
import { announce } from './announce.ts';

/**
 * Sends the same response to every request: the bytes and headers of the service. Options: status, headers, body. A 304 is
 * the answer to a condition, so the request has to have it.
 */
const { status, headers, body } = JSON.parse(process.argv[2] ?? '{}');
const bytes = body === null ? undefined : Buffer.from(body, 'base64');

const etag = headers[headers.indexOf('ETag') + 1];

const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  const isAsked = status !== 304 || request.headers['if-none-match'] === etag;
  response.writeHead(isAsked ? status : 412, headers);
  response.end(bytes);
});
announce(server);
