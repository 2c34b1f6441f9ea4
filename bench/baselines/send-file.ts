import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { announce } from './announce.ts';

/** Pipes a file into every response. Options: file, and the headers of the service. */
const { file, headers } = JSON.parse(process.argv[2] ?? '{}');

const server = createServer({ keepAliveTimeout: 75_000 }, (_request, response) => {
  response.writeHead(200, headers);
  createReadStream(file).pipe(response);
});
announce(server);
