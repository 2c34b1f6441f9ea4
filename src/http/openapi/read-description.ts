import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type ApiDescription, type ApiResponse, resolve } from '../../pages/api-description.ts';
import type { Language } from '../../pages/i18n/translations.ts';
import { nameSchemas } from './schemas.ts';

/** A text for each `{name}`. */
type Values = Record<string, string>;

interface WrittenResponse {
  /** Names of headers, and of sets of them. */
  'x-headers'?: string[];
}

const FOLDER = import.meta.dirname;
/** Samples of more than a line, each in a file of its own. */
const SAMPLES = path.join(FOLDER, 'samples');

/**
 * Reads the description from openapi.json, in English, or as its overlay translates it. The schemas of responses are put
 * in, `{name}` becomes the value or the sample of that name, and `x-headers` become the headers that they name.
 *
 * The files are JSON, because each thread reads them when it starts: that takes 1 ms, and as YAML 50 to 150 ms.
 */
export function readDescription(language: Language, values: Values): ApiDescription {
  const samples = readdirSync(SAMPLES).map((name) => [name, fill(readText(`samples/${name}`), values)]);
  const all = { ...values, ...Object.fromEntries(samples) };
  const { 'x-header-sets': sets, ...api } = readJson('openapi.json', all);
  api.components.schemas = nameSchemas();
  if (language !== 'en') applyOverlay(api, readJson(`openapi-${language}.json`, all));
  addHeaders(api, sets);
  // Generators of clients follow a reference to a response, but not another one from there.
  for (const [name, response] of Object.entries(api.components.responses))
    api.components.responses[name] = resolve<ApiResponse>(api, response as ApiResponse);
  return api;
}

function readText(name: string): string {
  return readFileSync(path.join(FOLDER, name), 'utf8');
}

function readJson(name: string, values: Values) {
  const escaped = Object.entries(values).map(([key, value]) => [key, JSON.stringify(value).slice(1, -1)]);
  return JSON.parse(fill(readText(name), Object.fromEntries(escaped)));
}

/** Other braces stay, such as those of a path and of a program. */
function fill(text: string, values: Values): string {
  return text.replace(/\{([\w.]+)\}/gu, (whole, name: string) => values[name] ?? whole);
}

/** Replaces `x-headers` of responses by references to those headers. */
function addHeaders({ paths, components }: ApiDescription, sets: Record<string, string[]>): void {
  const operations = Object.values(paths).flatMap(({ servers: _, ...methods }) => Object.values(methods));
  for (const responses of [components.responses, ...operations.map((one) => one.responses)]) {
    for (const [status, response] of Object.entries(responses)) {
      const { 'x-headers': names, ...rest } = response as ApiResponse & WrittenResponse;
      if (!names) continue;
      const all = names.flatMap((name) => sets[name] ?? [name]);
      const headers = Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
      responses[status] = { ...rest, headers };
    }
  }
}

/** What is used of the OpenAPI Overlay Specification 1.0: updates of objects. https://spec.openapis.org/overlay/v1.0.0 */
interface Overlay {
  actions: { target: string; update: Record<string, unknown> }[];
}

/** Updates the document as the overlay says. Throws for a target that it does not have. */
export function applyOverlay(document: object, { actions }: Overlay): void {
  for (const { target, update } of actions) {
    const found = select(document, target);
    if (!isObject(found)) throw new Error(`the overlay's target ${target} is no object of the document`);
    merge(found, update);
  }
}

/** `.name`, `['name']`, or `[?@.key=='value']`, which selects the first such item of a list. */
const SEGMENT = /\.(?<name>[\w-]+)|\['(?<quoted>[^']+)'\]|\[\?@\.(?<key>[\w-]+)=='(?<value>[^']+)'\]/gu;

/** Follows a JSONPath of these segments; undefined where it leads to nothing. */
function select(document: object, path: string): unknown {
  const segments = [...path.matchAll(SEGMENT)];
  if (`$${segments.map(([text]) => text).join('')}` !== path)
    throw new Error(`the overlay's target ${path} is not supported`);
  let found: unknown = document;
  for (const { groups: { name, quoted, key = '', value } = {} } of segments) {
    if (Array.isArray(found)) found = found.find((item) => item[key] === value);
    else found = isObject(found) ? found[name ?? quoted ?? ''] : undefined;
  }
  return found;
}

/** Objects are merged with objects; any other value is replaced. */
function merge(target: Record<string, unknown>, update: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(update)) {
    const before = target[key];
    if (isObject(before) && isObject(value)) merge(before, value);
    else target[key] = value;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
