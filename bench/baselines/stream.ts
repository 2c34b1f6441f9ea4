import { createServer, type ServerResponse } from 'node:http';
import { announce } from './announce.ts';

/** Keeps every stream open, and writes the body of a POST to all of them in one loop. Other requests get a short answer. */
const streams = new Set<ServerResponse>();

const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  if (request.method === 'POST') {
    request.once('data', (bytes: Buffer) => {
      for (const stream of streams) stream.write(bytes);
      response.end();
    });
  } else if (request.url === '/stream') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write('retry: 5000\n\n');
    streams.add(response);
  } else {
    response.end('page');
  }
});
announce(server);
