import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PAGE_SIZE } from '../domain/listing.ts';
import { renderSampleAnimePage } from './anime-page.ts';
import type { Catalogue } from './catalogue.ts';
import { drawCover } from './cover.ts';
import { renderOngoingPage, renderSchedulePage } from './pages.ts';

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
  const server = createServer(async (request, response) => {
    if (await intercept?.(request, response)) return;
    if (request.url?.startsWith('/wp-content/uploads/')) {
      // The path ends in .jpg, but programs look at the bytes.
      response.setHeader('Content-Type', 'image/png');
      response.end(drawCover(request.url));
      return;
    }
    const html = renderPath(request.url ?? '/');
    response.setHeader('Content-Type', 'text/html; charset=UTF-8');
    if (html === undefined) {
      response.writeHead(404).end('<html><h1>404</h1></html>');
      return;
    }
    response.setHeader('Last-Modified', new Date().toUTCString());
    response.end(html);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // The address of a server on a TCP port is an AddressInfo.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function renderPath(path: string): string | undefined {
    if (path === '/jadwal-rilis/') return renderSchedulePage(origin, catalogue.anime);
    const slug = /^\/anime\/([^/]+)\/$/u.exec(path)?.[1];
    const anime = catalogue.anime.find((one) => one.slug === slug);
    if (anime) return renderSampleAnimePage(origin, anime, Date.now());
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
