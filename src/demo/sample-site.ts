import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants } from 'node:zlib';
import { PAGE_SIZE } from '../domain/listing.ts';
import type { Catalogue } from './catalogue.ts';
import { renderCover } from './cover.ts';
import { renderOngoingPage, renderSchedulePage } from './pages.ts';

/** Compresses as a server does on the fly: the highest quality would take twenty times as long for each page. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** A source site on the loopback interface, for the demo, the tests and the benchmarks. */
export interface SampleSite {
  origin: string;
  close(): Promise<void>;
}

interface SampleSiteOptions {
  catalogue: Catalogue;
  port?: number;
  /** Called first with every request. Returns true when it has answered the request. */
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
}

export async function openSampleSite({
  catalogue,
  port = 0,
  intercept,
}: SampleSiteOptions): Promise<SampleSite> {
  const startedAt = new Date().toUTCString();
  const server = createServer(async (request, response) => {
    if (await intercept?.(request, response)) return;
    if (request.url?.startsWith('/wp-content/uploads/')) {
      // The path ends in .jpg, but browsers go by the content type.
      response.setHeader('Content-Type', 'image/svg+xml');
      response.end(renderCover(request.url));
      return;
    }
    const html = renderPath(request.url ?? '/');
    response.setHeader('Content-Type', 'text/html; charset=UTF-8');
    if (html === undefined) {
      response.writeHead(404).end('<html><h1>404</h1></html>');
      return;
    }
    response.setHeader('Last-Modified', startedAt);
    const canBrotli = String(request.headers['accept-encoding']).includes('br');
    if (canBrotli) response.setHeader('Content-Encoding', 'br');
    response.end(canBrotli ? brotliCompressSync(html, BROTLI) : html);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // The address of a server on a TCP port is an AddressInfo.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function renderPath(path: string): string | undefined {
    if (path === '/jadwal-rilis/') return renderSchedulePage(origin, catalogue.anime);
    const match = /^\/ongoing-anime\/(?:page\/(\d+)\/)?$/u.exec(path);
    const page = Number(match?.[1] ?? 1);
    if (!match || (page - 1) * PAGE_SIZE >= catalogue.anime.length) return undefined;
    return renderOngoingPage(origin, catalogue.anime, page);
  }

  return {
    origin,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
