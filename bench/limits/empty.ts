import { createServer } from 'node:http';
import { announce } from './announce.ts';

/** Nothing but Node and its server. */
announce(createServer((_request, response) => response.end()));
