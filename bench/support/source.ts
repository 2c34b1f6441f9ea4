import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants } from 'node:zlib';
import { createCatalogue } from '../../src/demo/catalogue.ts';
import { renderOngoingPage, renderSchedulePage } from '../../src/demo/pages.ts';
import { PAGE_SIZE } from '../../src/domain/listing.ts';

export interface BenchSource {
  origin: string;
  /** The paths of all requests, in order. */
  requests: string[];
  /** Puts a new episode at the top of the list, which changes every page. */
  change(): void;
  close(): void;
}

/**
 * The sample source site with pages that are rendered and compressed in advance: doing that for each request would take
 * CPU time from the load generator. Each response takes `delayMs`.
 */
export async function openSource(delayMs = 0): Promise<BenchSource> {
  const catalogue = createCatalogue(new Date());
  const requests: string[] = [];
  const pages = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    requests.push(path);
    const page = pages.get(path);
    const headers = { 'Content-Type': 'text/html; charset=UTF-8', 'Content-Encoding': 'br' };
    setTimeout(() => (page ? response.writeHead(200, headers) : response.writeHead(404)).end(page), delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function render(): void {
    const { anime } = catalogue;
    const count = Math.ceil(anime.length / PAGE_SIZE);
    pages.set('/jadwal-rilis/', compress(renderSchedulePage(origin, anime)));
    for (let page = 1; page <= count; page += 1) {
      const path = page === 1 ? '/ongoing-anime/' : `/ongoing-anime/page/${page}/`;
      pages.set(path, compress(renderOngoingPage(origin, anime, page)));
    }
  }
  render();

  return {
    origin,
    requests,
    change() {
      catalogue.airNextEpisode(new Date());
      render();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function compress(html: string): Buffer {
  return brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}
