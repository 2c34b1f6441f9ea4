import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { createDocument, type Document } from './document.ts';

const FOLDER = path.resolve(import.meta.dirname, '../pages/assets');
const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** What pages load beside themselves, by its path on either origin; read once. */
export async function openAssets(): Promise<Map<string, Document>> {
  const names = await readdir(FOLDER);
  const entries = names.map(async (name): Promise<[string, Document]> => {
    const file = path.join(FOLDER, name);
    const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
    const { mtimeMs } = await stat(file);
    return [`/assets/${name}`, await createDocument(type, await readFile(file, 'utf8'), mtimeMs)];
  });
  return new Map(await Promise.all(entries));
}
