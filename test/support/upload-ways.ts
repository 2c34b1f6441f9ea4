import { expect } from 'vitest';
import { createUpload, OFFSET_STREAM, patch, TUS } from './resumable.ts';
import { MULTIPART, multipart, part } from './upload-body.ts';
import { type Answer, type Sending, send } from './upload-client.ts';

/** A service whose clients upload here: what they send beside the file, and how they read an answer. */
export interface Dialect {
  path: string;
  fields?: Record<string, string>;
  field: string;
  /** The address of the file in an answer. */
  urlOf: (answer: Answer) => string;
  /** The message of a refusal. */
  messageOf: (answer: Answer) => string;
}

const asText = { urlOf: (answer: Answer) => answer.text, messageOf: (answer: Answer) => answer.text };

export const neko: Dialect = {
  path: '/api/upload.php',
  field: 'file',
  urlOf: (answer) => answer.json().result.url_file,
  messageOf(answer) {
    expect(answer.json()).toEqual({ status: false, message: expect.any(String) });
    return answer.json().message;
  },
};

export const uguu: Dialect = {
  path: '/upload.php',
  field: 'files[]',
  urlOf(answer) {
    expect(answer.json().success).toBe(true);
    return answer.json().files[0].url;
  },
  messageOf(answer) {
    const { status: errorcode } = answer;
    expect(answer.json()).toEqual({ success: false, errorcode, description: expect.any(String) });
    return answer.json().description;
  },
};

const uguuAsText: Dialect = {
  ...uguu,
  path: '/upload.php?output=text',
  urlOf: asText.urlOf,
  messageOf({ status, text }) {
    const start = `ERROR: (${status}) `;
    expect(text.startsWith(start)).toBe(true);
    return text.slice(start.length);
  },
};

export const tmpfiles: Dialect = {
  path: '/api/v1/upload',
  field: 'file',
  urlOf(answer) {
    expect(answer.json()).toEqual({ status: 'success', data: { url: expect.any(String) } });
    return answer.json().data.url.replace('files.example.org/', 'files.example.org/dl/');
  },
  messageOf(answer) {
    expect(answer.json()).toEqual({ status: 'error', message: expect.any(String) });
    return answer.json().message;
  },
};

export const DIALECTS: Record<string, Dialect> = {
  'neko.pe': neko,
  uguu,
  'uguu as text': uguuAsText,
  litterbox: {
    path: '/resources/internals/api.php',
    fields: { reqtype: 'fileupload', time: '1h' },
    field: 'fileToUpload',
    ...asText,
  },
  tmpfiles,
  '0x0': { path: '/', field: 'file', ...asText },
};

/** A way to upload a file. A refused upload leaves nothing that its client has not asked to keep. */
export interface Way {
  upload(origin: string, content: Buffer, headers?: Sending['headers']): Promise<Answer>;
  messageOf: Dialect['messageOf'];
}

/** POST to a dialect with this body. */
export function postTo({ path }: Dialect, origin: string, body: Buffer, { headers, ...more }: Sending = {}) {
  return send(origin, {
    method: 'POST',
    path,
    headers: { 'Content-Type': MULTIPART, ...headers },
    body,
    ...more,
  });
}

/** The body of a form with one file. */
export function formOf({ fields = {}, field }: Dialect, content: Buffer | string): Buffer {
  const values = Object.entries(fields).map(([name, value]) => part(`form-data; name="${name}"`, value));
  return multipart(...values, part(`form-data; name="${field}"; filename="a.bin"`, content));
}

const posting = (dialect: Dialect, more: Sending = {}): Way => ({
  upload: (origin, content, headers) =>
    postTo(dialect, origin, formOf(dialect, content), { ...more, headers: { ...more.headers, ...headers } }),
  messageOf: dialect.messageOf,
});

async function uploadInPieces(
  origin: string,
  content: Buffer,
  headers: Sending['headers'] = {},
): Promise<Answer> {
  const { answer, path } = await createUpload(origin, content.length, { headers });
  if (answer.status !== 201) return answer;
  const half = Math.ceil(content.length / 2);
  let last = await patch(origin, path, 0, content.subarray(0, half), { headers });
  if (last.status === 204) last = await patch(origin, path, half, content.subarray(half), { headers });
  if (last.status !== 204) await send(origin, { method: 'DELETE', path, headers: TUS });
  return last;
}

async function uploadAtCreation(
  origin: string,
  content: Buffer,
  headers: Sending['headers'] = {},
): Promise<Answer> {
  const { answer, path } = await createUpload(origin, content.length, {
    headers: { ...OFFSET_STREAM, ...headers },
    body: content,
  });
  if (answer.status !== 201 && path) await send(origin, { method: 'DELETE', path, headers: TUS });
  return answer;
}

const putting = (more: Sending = {}): Way => ({
  upload: (origin, content, headers) =>
    send(origin, { method: 'PUT', path: '/a.bin', body: content, ...more, headers: { ...headers } }),
  messageOf: ({ text }) => text.trimEnd(),
});

const own = { ...neko, path: '/upload' };

/** Every way to upload, by its name. */
export const WAYS: Record<string, Way> = {
  'POST /upload': posting(own),
  'POST /upload in chunks': posting(own, { isChunked: true }),
  'PUT /a.bin': putting(),
  'PUT /a.bin in chunks': putting({ isChunked: true }),
  ...Object.fromEntries(Object.entries(DIALECTS).map(([name, dialect]) => [name, posting(dialect)])),
  'tus at creation': { upload: uploadAtCreation, messageOf: neko.messageOf },
  'tus in two pieces': { upload: uploadInPieces, messageOf: neko.messageOf },
};
