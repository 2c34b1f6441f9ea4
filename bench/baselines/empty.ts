import { createServer } from 'node:http';
import { announce } from './announce.ts';

/** Node with an empty HTTP server. */
announce(createServer((_request, response) => response.end()));
