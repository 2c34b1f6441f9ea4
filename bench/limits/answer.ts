import { createServer } from 'node:http';
import { announce } from './announce.ts';

/** Sends one ready answer to every request, the same bytes and headers as the service. Options: status, headers, body. */
const { status, headers, body } = JSON.parse(process.argv[2] ?? '{}');
const bytes = body === null ? undefined : Buffer.from(body, 'base64');

const server = createServer({ keepAliveTimeout: 75_000 }, (_request, response) => {
  response.writeHead(status, headers);
  response.end(bytes);
});
announce(server);
