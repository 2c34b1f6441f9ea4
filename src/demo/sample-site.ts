import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PAGE_SIZE } from '../domain/listing.ts';
import { renderSampleAnimePage } from './anime-page.ts';
import type { Catalogue } from './catalogue.ts';
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

const WIDTH = 225;
const HEIGHT = 318;

/** Renders a cover as SVG: hills under a sky, in shapes and colours that follow from the path alone. */
function renderCover(path: string): string {
  const bytes = createHash('sha256').update(path).digest();
  const scale = (index: number, max: number) => ((bytes[index] ?? 0) / 255) * max;
  const hue = Math.round(scale(0, 360));
  const hills = [0, 1, 2].map((layer) => {
    const top = HEIGHT * (0.45 + layer * 0.17);
    const [left, middle, right] = [1, 2, 3].map((index) =>
      Math.round(top - 45 + scale(index + layer * 3, 80)),
    );
    const path = `M0 ${left}Q${WIDTH * 0.3} ${middle} ${WIDTH * 0.55} ${top}T${WIDTH} ${right}V${HEIGHT}H0Z`;
    return `<path d="${path}" fill="hsl(${(hue + 40 + layer * 18) % 360} 45% ${38 - layer * 11}%)"/>`;
  });
  const sun = `<circle cx="${40 + scale(20, 145)}" cy="${50 + scale(21, 70)}" r="${18 + scale(22, 22)}" fill="hsl(${(hue + 60) % 360} 90% 88%)"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">
<linearGradient id="s" x2="0" y2="1"><stop stop-color="hsl(${hue} 60% 45%)"/><stop offset="1" stop-color="hsl(${(hue + 50) % 360} 75% 75%)"/></linearGradient>
<rect width="100%" height="100%" fill="url(#s)"/>${sun}${hills.join('')}</svg>`;
}
