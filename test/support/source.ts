import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Catalogue, createCatalogue } from '../../src/demo/catalogue.ts';
import { openSampleSite, type SampleSite } from '../../src/demo/sample-site.ts';
import type { Defer } from './defer.ts';

export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A sample source site that records its requests and can be made to fail. */
export interface TestSource extends SampleSite {
  catalogue: Catalogue;
  /** The paths of all requests, in order. */
  requests: string[];
  /** Called with each request first; when it returns true, it has answered the request. */
  fault: Fault | undefined;
}

const A_FRIDAY = new Date('2026-11-20T05:00:00Z');

/** `at`: the day on which its newest episodes came. */
export async function openTestSource(defer: Defer, at = A_FRIDAY): Promise<TestSource> {
  const catalogue = createCatalogue(at);
  const requests: string[] = [];
  const site = await openSampleSite({
    catalogue,
    intercept(request, response) {
      requests.push(request.url ?? '');
      return source.fault?.(request, response) ?? false;
    },
  });
  const source: TestSource = { ...site, catalogue, requests, fault: undefined };
  defer(() => site.close());
  return source;
}

/** Answers every request with this text. */
export function always(status: number, text = '', headers: Record<string, string> = {}): Fault {
  return (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'text/html; charset=UTF-8', ...headers }).end(text);
    return true;
  };
}

/** Changes the pages that `render` returns with `rewrite`. */
export function rewriting(
  render: (path: string) => string | undefined,
  rewrite: (html: string) => string,
): Fault {
  return (request, response) => {
    const html = render(request.url ?? '');
    if (html === undefined) return false;
    response.writeHead(200, { 'Content-Type': 'text/html; charset=UTF-8' }).end(rewrite(html));
    return true;
  };
}
