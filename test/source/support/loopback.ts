import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createPageFetcher, type FetchOptions, type PageFetcher } from '../../../src/source/fetch-page.ts';

/** Starts a server on a free port of 127.0.0.1, which closes when the test ends. */
export async function openServer(handle: RequestListener): Promise<URL> {
  const server = createServer(handle);
  onTestFinished(() => closeServer(server));
  return listen(server);
}

export async function listen(server: Server): Promise<URL> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Opens a fetcher, which closes when the test ends. */
export function openFetcher(options: Partial<FetchOptions> = {}): PageFetcher {
  const fetcher = createPageFetcher({
    timeoutMs: 5_000,
    delayMs: 0,
    userAgent: 'Tayang/test',
    origins: [],
    now: Date.now,
    ...options,
  });
  onTestFinished(() => fetcher.close());
  return fetcher;
}
