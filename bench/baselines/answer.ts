import { createServer } from 'node:http';
import { announce } from './announce.ts';

/** Sends the same response to every request: the bytes and headers of the service. Options: status, headers, body. */
const { status, headers, body } = JSON.parse(process.argv[2] ?? '{}');
const bytes = body === null ? undefined : Buffer.from(body, 'base64');

const server = createServer({ keepAliveTimeout: 75_000 }, (_request, response) => {
  response.writeHead(status, headers);
  response.end(bytes);
});
announce(server);
