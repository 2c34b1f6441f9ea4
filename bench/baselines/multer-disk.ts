import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import multer from '@koa/multer';
import Koa from 'koa';
import { announce } from './announce.ts';

/** @koa/multer with its own diskStorage, and a flush after which the upload survives a power cut. Options: folder. */
const { folder } = JSON.parse(process.argv[2] ?? '{}');

const app = new Koa();
app.use(multer({ storage: multer.diskStorage({ destination: folder }) }).single('file') as never);
app.use(async (ctx) => {
  const { path, size } = ctx.file as { path: string; size: number };
  for (const flushed of [path, folder]) {
    await using handle = await open(flushed);
    await handle.sync();
  }
  ctx.body = { status: true, size };
});
announce(createServer({ keepAliveTimeout: 75_000 }, app.callback()));
