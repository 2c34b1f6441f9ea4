import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { formatSize } from '../../domain/units.ts';
import { type ApiDescription, type ApiResponse, resolve } from '../../pages/api-description.ts';
import { renderDocsPage } from '../../pages/docs.ts';
import { formatDuration } from '../../pages/formats.ts';
import { type Language, TRANSLATIONS } from '../../pages/i18n/translations.ts';
import { API_PATH } from '../../publishing/addresses.ts';
import {
  COMPRESSED_WHEN_ASKED,
  createDocument,
  type Document,
  JSON_TYPE,
} from '../../publishing/document.ts';
import * as dialects from '../../publishing/schemas/dialects.ts';
import * as listing from '../../publishing/schemas/listing.ts';
import * as responses from '../../publishing/schemas/responses.ts';
import { ERROR, type FromSchema, SLUG } from '../../publishing/schemas/schema.ts';
import { PAGE_HEADERS, pageDocuments } from '../page-documents.ts';

/** What the description says of this installation. */
export interface ApiFacts {
  version: string;
  /** Public origins. */
  origins: { listing: string; uploads: string };
  timeZone: string;
  /** Whether strangers may have new episodes announced in their channels. */
  hasChannels: boolean;
  limits: {
    maxBytes: number;
    ttlMs: number;
    rateLimit: number;
    rateWindowMs: number;
    concurrency: number;
  };
}

/** Samples of more than a line, each in a file of its own. */
const SAMPLES = path.join(import.meta.dirname, 'samples');

/**
 * The documents that describe both origins, by their addresses at the listing's: `/api`, `/openapi.json`, and `/docs` with a
 * document for each language beside it (`/docs?lang=en`). `now`: ms since 1970.
 */
export function describeApi(facts: ApiFacts, now: number): [address: string, Document][] {
  const api = describeIn('en', facts);
  const index = createDocument(
    JSON_TYPE,
    JSON.stringify(listEndpoints(api, facts)),
    now,
    COMPRESSED_WHEN_ASKED,
  );
  const description = createDocument(JSON_TYPE, JSON.stringify(api), now, {
    headers: PAGE_HEADERS,
    ...COMPRESSED_WHEN_ASKED,
  });
  const render = (language: Language) => renderDocsPage(describeIn(language, facts), language);
  return [[API_PATH, index], ['/openapi.json', description], ...pageDocuments('/docs', render, now)];
}

/** What a program finds at the listing's origin: the endpoints of the API, and the feeds. */
function listEndpoints(
  api: ApiDescription,
  { version, origins }: ApiFacts,
): FromSchema<typeof responses.ApiIndex> {
  const endpoints = Object.entries(api.paths).flatMap(([path, { servers, get }]) => {
    const isOfListing = servers === undefined && /^\/(?:api|feeds)(?:\/|$)/u.test(path);
    return isOfListing && get ? [{ path, description: get.summary }] : [];
  });
  const { listing } = origins;
  return {
    status: true,
    data: { endpoints, docs: `${listing}/docs`, openapi: `${listing}/openapi.json`, version },
  };
}

/**
 * The description of both origins (OpenAPI 3.1) in one language: openapi.json, which is in English, with the translations of
 * openapi-LANGUAGE.json merged into it (RFC 7396). The schemas of responses get their texts from there, `{name}` becomes the value or the
 * sample of that name, and `x-headers` become the headers that they name.
 *
 * The files are JSON, because each thread reads them when it starts: that takes 1 ms, and as YAML 50 to 150 ms.
 */
export function describeIn(language: Language, facts: ApiFacts): ApiDescription {
  const values = valuesOf(facts, TRANSLATIONS[language].locale);
  const samples = readdirSync(SAMPLES).map((name) => [name, fill(readText(`samples/${name}`), values)]);
  const all = { ...values, ...Object.fromEntries(samples) };
  const { 'x-header-sets': sets, ...api } = readJson('openapi.json', all);
  const schemas = nameSchemas();
  merge(schemas, api.components.schemas);
  api.components.schemas = schemas;
  if (language !== 'en') merge(api, readJson(`openapi-${language}.json`, all));
  if (!facts.hasChannels) delete api['x-tasks'].channel;
  addHeaders(api, sets);
  // Generators of clients follow a reference to a response, but not another one from there.
  for (const [name, response] of Object.entries(api.components.responses))
    api.components.responses[name] = resolve<ApiResponse>(api, response as ApiResponse);
  return api;
}

/** A text for each `{name}`. */
type Values = Record<string, string>;

function valuesOf({ version, origins, timeZone, limits }: ApiFacts, locale: string): Values {
  return {
    ...origins,
    version,
    timeZone,
    maxSize: formatSize(limits.maxBytes).replace('.00 ', ' '),
    longest: formatDuration(limits.ttlMs, locale),
    rateLimit: String(limits.rateLimit),
    rateWindow: formatDuration(limits.rateWindowMs, locale),
    concurrency: String(limits.concurrency),
  };
}

function readText(name: string): string {
  return readFileSync(path.join(import.meta.dirname, name), 'utf8');
}

function readJson(name: string, values: Values) {
  const escaped = Object.entries(values).map(([key, value]) => [key, JSON.stringify(value).slice(1, -1)]);
  return JSON.parse(fill(readText(name), Object.fromEntries(escaped)));
}

/** Other braces stay, such as those of a path and of a program. */
function fill(text: string, values: Values): string {
  return text.replace(/\{([\w.]+)\}/gu, (whole, name: string) => values[name] ?? whole);
}

/** Objects are merged with objects; any other value is replaced. */
function merge(target: Record<string, unknown>, patch: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(patch)) {
    const before = target[key];
    if (isObject(before) && isObject(value)) merge(before, value);
    else target[key] = value;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every schema that has a name: what documents and pages refer to. */
const NAMED: Record<string, object> = { ...listing, ...responses, ...dialects, Error: ERROR, Slug: SLUG };

const NAMES = new Map(Object.entries(NAMED).map(([name, schema]) => [schema, name]));

/** The named schemas in alphabetical order; where one holds another, it refers to it by its name. */
function nameSchemas(): Record<string, object> {
  const sorted = Object.fromEntries(Object.entries(NAMED).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const text = JSON.stringify(sorted, function refer(this: object, _key, value) {
    const name = this === sorted ? undefined : NAMES.get(value);
    return name === undefined ? value : { $ref: `#/components/schemas/${name}` };
  });
  return JSON.parse(text);
}

/** Replaces `x-headers` of responses, which are names of headers and of sets of them, by references to those headers. */
function addHeaders({ paths, components }: ApiDescription, sets: Record<string, string[]>): void {
  const operations = Object.values(paths).flatMap(({ servers: _, ...methods }) => Object.values(methods));
  for (const responses of [components.responses, ...operations.map((one) => one.responses)]) {
    for (const [status, response] of Object.entries(responses)) {
      const { 'x-headers': names, ...rest } = response as ApiResponse & { 'x-headers'?: string[] };
      if (!names) continue;
      const all = names.flatMap((name) => sets[name] ?? [name]);
      const headers = Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
      responses[status] = { ...rest, headers };
    }
  }
}
