import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../src/domain/errors.ts';

/** The rules of docs/architecture.md, checked from the imports; types count as well. */

const ROOT = path.resolve(import.meta.dirname, '..');
const SRC = path.join(ROOT, 'src');

/** A folder imports only from itself and from folders before it in this list. `main.ts` lies beside the folders. */
const LAYERS = [
  ...[
    'domain',
    'redis',
    'sqlite',
    'network',
    'source',
    'belief',
    'store',
    'crawler',
    'uploads',
    'pages',
    'publishing',
    'outbox',
  ],
  ...['http', 'telemetry', 'demo', 'app', 'doctor', 'commands'],
];

/** The folders or files that may import each package. */
const HOMES: Record<string, string | string[]> = {
  undici: 'network/http-client.ts',
  cheerio: 'source/markup/',
  'json-schema-to-ts': 'publishing/schemas/schema.ts',
  keyv: 'store/drivers/values.ts',
  '@redis/client': 'redis/',
  'node-cron': 'crawler/timing/cron.ts',
  koa: 'http/',
  '@koa': 'http/',
  negotiator: 'http/',
  'content-disposition': 'http/uploads/answer-file.ts',
  'proxy-addr': 'http/client-address.ts',
  'lean-qr': 'http/uploads/files.ts',
  yazl: 'http/uploads/zip.ts',
  'image-dimensions': 'http/uploads/measure-picture.ts',
  'file-type': 'uploads/media-type.ts',
  'lru-cache': ['uploads/storage/disk/', 'http/'],
  sharp: 'crawler/covers/decode-process.ts',
  'ical-generator': 'publishing/feeds/calendar.ts',
  'ipaddr.js': 'network/',
  '@aws-sdk/client-s3': 'uploads/storage/s3/',
  '@aws-sdk/s3-request-presigner': 'uploads/storage/s3/',
  '@prometheus-io/client': 'telemetry/metrics/',
  pino: 'telemetry/',
  'pino-pretty': 'telemetry/',
};

interface Import {
  /** Both relative to src, with slashes; a package or a module of Node as it is written. */
  file: string;
  target: string;
  isLocal: boolean;
  isType: boolean;
}

const FILES = globSync('**/*.ts', { cwd: SRC }).map((file) => file.replaceAll(path.sep, '/'));
const STATIC = /^(?:import|export)\s+(type\s+)?(?:([\w$*{}\s,]+?)\s+from\s+)?['"]([^'"]+)['"]/gmu;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]/gu;

const readSource = (file: string) => readFileSync(path.join(SRC, file), 'utf8');

function importsOf(file: string): Import[] {
  const source = readSource(file);
  const found = [
    ...[...source.matchAll(STATIC)].map(([, type, names, specifier]) => ({
      specifier,
      isType: type !== undefined || /^\{(?:\s*type\s[^,}]+,?)+\s*\}$/u.test(names ?? ''),
    })),
    ...[...source.matchAll(DYNAMIC)].map(([, specifier]) => ({ specifier, isType: false })),
  ];
  return found.map(({ specifier = '', isType }) => {
    const isLocal = specifier.startsWith('.');
    const target = isLocal ? path.posix.join(path.posix.dirname(file), specifier) : specifier;
    return { file, target, isLocal, isType };
  });
}

const IMPORTS = FILES.flatMap(importsOf);
const LOCAL = IMPORTS.filter(({ isLocal }) => isLocal);
const PACKAGES = IMPORTS.filter(({ isLocal, target }) => !isLocal && !target.startsWith('node:'));

/** The folder of a file; of a file beside the folders, its name. */
const layerOf = (file: string) => file.split('/')[0] ?? '';

/** `@koa/router` → `@koa/router`, `cheerio/slim` → `cheerio`. */
const packageOf = (target: string) => /^(?:@[^/]+\/)?[^/]+/u.exec(target)?.[0] ?? '';

function violations(imports: Import[], isWrong: (one: Import) => boolean): string[] {
  return imports.filter(isWrong).map(({ file, target }) => `src/${file} imports ${target}`);
}

test('every import is found', () => {
  for (const file of FILES) {
    const written =
      readSource(file).match(/^(?:import|.*\bfrom) ['"].+['"](?: with .+)?;$|\bimport\(/gmu) ?? [];
    expect(importsOf(file), `imports of src/${file}`).toHaveLength(written.length);
  }
  expect(IMPORTS.length).toBeGreaterThan(FILES.length);
});

describe('folders', () => {
  test('are exactly the layers', () => {
    const folders = FILES.filter((file) => file.includes('/')).map(layerOf);
    expect([...new Set(folders)].sort()).toEqual(LAYERS.toSorted());
  });

  test('import only layers below them', () => {
    const isAbove = ({ file, target }: Import) => {
      const from = LAYERS.indexOf(layerOf(file));
      const to = LAYERS.indexOf(layerOf(target));
      return from >= 0 && (to < 0 || to > from);
    };
    expect(violations(LOCAL, isAbove)).toEqual([]);
  });

  test('app is imported by commands and the doctor only, and commands by main.ts', () => {
    const importers: Record<string, string[]> = { app: ['commands', 'doctor'], commands: ['main.ts'] };
    const isForeign = ({ file, target }: Import) => {
      const known = importers[layerOf(target)];
      return known !== undefined && ![layerOf(target), ...known].includes(layerOf(file));
    };
    expect(violations(LOCAL, isForeign)).toEqual([]);
  });

  test('telemetry does not import http', () => {
    const isHttp = ({ file, target }: Import) => layerOf(file) === 'telemetry' && layerOf(target) === 'http';
    expect(violations(LOCAL, isHttp)).toEqual([]);
  });

  test('the domain imports nothing', () => {
    const isOutside = ({ file, target, isLocal }: Import) =>
      layerOf(file) === 'domain' && !(isLocal && layerOf(target) === 'domain');
    expect(violations(IMPORTS, isOutside)).toEqual([]);
  });

  test('features do not import each other, except that the crawler imports the interface of source', () => {
    const features = ['source', 'crawler', 'uploads'];
    const isOther = ({ file, target }: Import) =>
      features.includes(layerOf(file)) &&
      features.includes(layerOf(target)) &&
      layerOf(file) !== layerOf(target) &&
      !(layerOf(file) === 'crawler' && target === 'source/source.ts');
    expect(violations(LOCAL, isOther)).toEqual([]);
  });

  test('publishing and http import no drivers', () => {
    const isDriver = ({ file, target, isType }: Import) =>
      ['publishing', 'http'].includes(layerOf(file)) &&
      /^(source|store\/drivers|\w+\/(storage|limiters|scanners))\//u.test(target) &&
      !isType;
    expect(violations(LOCAL, isDriver)).toEqual([]);
  });
});

describe('packages', () => {
  test('are imported only in their home', () => {
    const isAway = ({ file, target }: Import) => {
      const name = packageOf(target);
      const homes = [HOMES[name] ?? HOMES[name.split('/')[0] ?? ''] ?? []].flat();
      return !homes.some((home) => (home.endsWith('/') ? file.startsWith(home) : file === home));
    };
    expect(violations(PACKAGES, isAway)).toEqual([]);
  });

  test('are dependencies', () => {
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(path.join(ROOT, 'package.json'), 'utf8'),
    );
    // Imports of types do not exist at run time.
    const isUndeclared = ({ target, isType }: Import) =>
      !Object.hasOwn(isType ? { ...devDependencies, ...dependencies } : dependencies, packageOf(target));
    expect(violations(PACKAGES, isUndeclared)).toEqual([]);
  });
});

test('the server of the listing loads nothing that reads the source or renders an edition', () => {
  const loaded = new Set(['app/listing-server.ts']);
  // What is added is visited, too.
  for (const file of loaded)
    for (const one of IMPORTS) if (one.file === file && !one.isType) loaded.add(one.target);
  expect(loaded).toContain('http/listing/documents.ts');
  for (const target of ['source/source.ts', 'publishing/edition.ts', 'publishing/api.ts', 'ical-generator'])
    expect(loaded).not.toContain(target);
});

describe('drivers', () => {
  test.each([
    ['store/drivers/', ['store/store.ts'], ['keyv']],
    [
      'uploads/storage/',
      ['uploads/storage.ts', 'uploads/resumable/resumable-storage.ts'],
      ['@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner', 'lru-cache'],
    ],
    [
      'uploads/limiters/',
      [
        'network/',
        'uploads/ledger.ts',
        'uploads/collections/collection-store.ts',
        'uploads/storage/failures.ts',
      ],
      [],
    ],
    ['uploads/scanners/', ['uploads/scanner.ts', 'uploads/places.ts'], []],
  ])(
    '%s import only their interface, the domain, the connections to Redis and SQLite, and files beside them',
    (folder, ports, packages) => {
      const imports = IMPORTS.filter(({ file }) => file.startsWith(folder));
      const isForeign = ({ target, isLocal }: Import) => {
        if (isLocal)
          return ![folder, ...ports, 'domain/', 'redis/', 'sqlite/'].some((known) =>
            target.startsWith(known),
          );
        return !(packages as string[]).includes(target) && !target.startsWith('node:');
      };
      expect(imports.length).toBeGreaterThan(0);
      expect(violations(imports, isForeign)).toEqual([]);
    },
  );
});

describe('names', () => {
  const EXPORT = /^export (?:async )?(?:function\*?|class|const|type|interface) (\w+)/gmu;
  /**
   * The schemas of the API have the names of the records that they describe, and the jobs of the threads are modules with one
   * interface.
   */
  const isSharedOnPurpose = (file: string, name: string) =>
    file.startsWith('publishing/schemas/') || (name === 'start' && /^app\/\w+-thread\.ts$/u.test(file));

  test('of exported types are declared, not derived from what a function happens to return', () => {
    const derived = FILES.filter((file) => /^export type .*ReturnType<typeof/mu.test(readSource(file)));
    expect(derived).toEqual([]);
  });

  test('are exported by one file alone, so that each has one meaning', () => {
    const filesOf = new Map<string, Set<string>>();
    for (const file of FILES) {
      for (const [, name = ''] of readSource(file).matchAll(EXPORT)) {
        if (isSharedOnPurpose(file, name)) continue;
        filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file));
      }
    }
    expect(filesOf.size).toBeGreaterThan(FILES.length);
    const repeated = [...filesOf].filter(([, files]) => files.size > 1);
    expect(repeated.map(([name, files]) => `${name}: ${[...files].join(', ')}`)).toEqual([]);
  });
});

/** Lines of one file of src. */
const MAX_FILE_LINES = 250;

/** The files of code in a folder, by their names, each with the number of its lines. */
const linesIn = (folder: string) =>
  globSync('**/*.{ts,js,lua,css}', { cwd: path.join(ROOT, folder) }).map((file) => {
    const text = readFileSync(path.join(ROOT, folder, file), 'utf8');
    return { file, lines: text.split('\n').length - 1 };
  });

test('every file of src fits on a few screens', () => {
  expect(linesIn('src').filter(({ lines }) => lines > MAX_FILE_LINES)).toEqual([]);
});

test('every error code is used', () => {
  const isTable = (file: string) => file === 'domain/errors.ts';
  const sources = FILES.filter((file) => !isTable(file))
    .map(readSource)
    .join('\n');
  // The codes of the source are composed from its state.
  const codes = ERROR_CODES.map((code) => code.replace(/^source-/u, ''));
  expect(codes.filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
});

test('docs/architecture.md names every folder, and only files that exist', () => {
  const text = readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8');
  const folders = [...text.matchAll(/^\| `(\w+)` \|/gmu)].map(([, folder]) => folder);
  expect(folders).toEqual(LAYERS);
  const named = [...text.matchAll(/`((?:src|test)\/[\w/.-]+\.ts)`|\]\(([^)]+)\)/gu)].map(([, file, link]) =>
    file ? path.join(ROOT, file) : path.join(ROOT, 'docs', link ?? ''),
  );
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});
