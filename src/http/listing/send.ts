import type { Context } from 'koa';
import type { Document } from '../../publishing/document.ts';

/** Sends a document of the listing's origin, with the headers of all of them. */
export type SendDocument = (ctx: Context, document: Document) => void;
