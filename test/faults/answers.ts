import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { renderOngoingPage, renderSchedulePage } from '../../src/demo/pages.ts';
import { PAGE_SIZE } from '../../src/domain/listing.ts';
import type { Fault, TestSource } from '../support/source.ts';

/** How a source answers when something is wrong with it. */

export const SCHEDULE = '/jadwal-rilis/';
export const LIST = '/ongoing-anime/';
export const pageOfList = (page: number) => (page === 1 ? LIST : `${LIST}page/${page}/`);

const HTML = { 'Content-Type': 'text/html; charset=UTF-8' };
const DRIP_MS = 50;

/** The same site with other anime; its own catalogue stays as it is. */
export function withAnime(site: TestSource, anime: TestSource['catalogue']['anime']): TestSource {
  return { ...site, catalogue: { ...site.catalogue, anime } };
}

/** The page that the site would show at this path. */
export function renderPath({ origin, catalogue }: TestSource, path: string): string | undefined {
  if (path === SCHEDULE) return renderSchedulePage(origin, catalogue.anime);
  const match = /^\/ongoing-anime\/(?:page\/(\d+)\/)?$/u.exec(path);
  const page = Number(match?.[1] ?? 1);
  if (!match || (page - 1) * PAGE_SIZE >= catalogue.anime.length) return undefined;
  return renderOngoingPage(origin, catalogue.anime, page);
}

/** Serves the site's pages as `serve` does, those for whose path `concerns` is true. */
export function serving(
  site: TestSource,
  serve: (html: string, response: ServerResponse) => void,
  concerns: (path: string) => boolean = () => true,
): Fault {
  return (request, response) => {
    const path = request.url ?? '';
    const html = concerns(path) ? renderPath(site, path) : undefined;
    if (html === undefined) return false;
    serve(html, response);
    return true;
  };
}

let lastBuiltAt = 0;

/** HTTP dates have seconds: builds are at least one apart, or a client with the first would get 304 for the second. */
function buildNow(): Date {
  lastBuiltAt = Math.max(Date.now(), lastBuiltAt + 1_000);
  return new Date(lastBuiltAt);
}

/** The site as it should be: built at that time by its page cache, and not modified since. */
export function showPlainly(site: TestSource, builtAt = buildNow()): Fault {
  const lastModified = builtAt.toUTCString();
  const show = serving(site, (html, response) => {
    response.writeHead(200, { ...HTML, 'Last-Modified': lastModified }).end(html);
  });
  return (request, response) => {
    if (request.headers['if-modified-since'] !== lastModified) return show(request, response);
    response.writeHead(304).end();
    return true;
  };
}

/** Alters the pages on their way: those of the ongoing list, or the one that is named. */
export function altering(site: TestSource, alter: (html: string) => string, path?: string): Fault {
  const concerns = (asked: string) => (path ? asked === path : asked.startsWith(LIST));
  return serving(site, (html, response) => void response.writeHead(200, HTML).end(alter(html)), concerns);
}

/** Applies a fault to one path only. */
export function only(path: string, fault: Fault): Fault {
  return (request, response) => request.url === path && fault(request, response);
}

/** Applies a fault to the first so many requests, of all or of each path. */
export function first(times: number, fault: Fault, of: 'all' | 'each path' = 'all'): Fault {
  const counts = new Map<string, number>();
  return (request, response) => {
    const key = of === 'all' ? '' : (request.url ?? '');
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= times && fault(request, response);
  };
}

export function redirecting(to: (path: string) => string): Fault {
  return (request, response) => {
    response.writeHead(301, { Location: to(request.url ?? '/') }).end();
    return true;
  };
}

export const silence: Fault = () => true;

export function stopMidway(html: string, response: ServerResponse): void {
  response.writeHead(200, HTML).write(html.slice(0, html.length / 2));
}

export function dropMidway(html: string, response: ServerResponse): void {
  response.writeHead(200, HTML).write(html.slice(0, html.length / 2), () => response.destroy());
}

/** One character at a time: no pause is long, and the page never ends. */
export function drip(html: string, response: ServerResponse): void {
  response.writeHead(200, HTML);
  let sent = 0;
  const timer = setInterval(() => {
    response.write(html.charAt(sent % html.length));
    sent += 1;
  }, DRIP_MS);
  response.on('close', () => clearInterval(timer));
}

/** The page with an endless list. */
export function goOn(html: string, response: ServerResponse): void {
  const [card = ''] = /<li>.*?<\/li>/u.exec(html) ?? [];
  const many = card.repeat(100);
  const pour = () => {
    while (!response.destroyed && response.write(many));
  };
  response.writeHead(200, HTML).on('drain', pour);
  pour();
}

/** A page of 64 MB that takes 64 KB on the wire: a stream of gzip may have many members. */
export function createBomb(): Fault {
  const member = gzipSync(Buffer.alloc(1024 * 1024, ' '));
  const bytes = Buffer.concat(Array<Buffer>(64).fill(member));
  return (_request, response) => {
    response.writeHead(200, { ...HTML, 'Content-Encoding': 'gzip' }).end(bytes);
    return true;
  };
}

/** As an old editor writes it: one byte a character, an escape for what has none. */
export function inLatin1(html: string, response: ServerResponse): void {
  const text = html.replace(/[\u{100}-\u{10ffff}]/gu, (character) => `&#${character.codePointAt(0)};`);
  response.writeHead(200, HTML).end(Buffer.from(text, 'latin1'));
}

export function mislabelled(html: string, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/html; charset=ISO-8859-1' }).end(html);
}
