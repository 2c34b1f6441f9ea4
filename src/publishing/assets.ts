import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { createDocument, type Document } from './document.ts';

const FOLDER = path.resolve(import.meta.dirname, '../pages/assets');
const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};

/** Browsers request the icon there by themselves; a manifest at the root covers the whole origin. */
const AT_ROOT = ['favicon.ico', 'manifest.webmanifest'];

/** Reads the files that pages load, by their path on either origin. */
export async function openAssets(): Promise<Map<string, Document>> {
  const names = await readdir(FOLDER);
  const entries = names.map(async (name): Promise<[string, Document]> => {
    const file = path.join(FOLDER, name);
    const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
    const { mtimeMs } = await stat(file);
    const address = AT_ROOT.includes(name) ? `/${name}` : `/assets/${name}`;
    return [address, createDocument(type, await readFile(file), mtimeMs)];
  });
  return new Map(await Promise.all(entries));
}
