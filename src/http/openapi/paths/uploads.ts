import * as examples from '../examples.ts';
import {
  answers,
  CORS,
  component,
  documentAnswers,
  failures,
  headers,
  OTHER_VERSION,
  PAGE,
  type Parameter,
  type Paths,
  TEXT,
  UNKEPT,
} from '../parts.ts';

const RATE = ['RateLimit', 'RateLimit-Policy'];
const FILE = [
  ...[...CORS, 'ETag', 'Last-Modified', 'Cache-Control', 'Accept-Ranges', 'Content-Disposition'],
  ...['Content-Security-Policy', 'X-Content-Type-Options', 'Cross-Origin-Resource-Policy', 'Referrer-Policy'],
];
const DOWN = { 503: 'the store cannot be reached' };
const GONE = { 404: 'it never existed, or was deleted', 410: 'its time is over', ...DOWN };
const BYTES = { schema: { type: 'string', contentMediaType: 'application/octet-stream' } };
const ANY = 'application/octet-stream';

const fromPath = (name: string, description: string): Parameter => ({
  ...{ name, in: 'path', required: true, description },
  schema: { type: 'string' },
});
const ID = fromPath('id', 'Names the file.');
const KEY = fromPath('key', 'The secret of whoever uploaded it.');

/** A place to put a file for a while. */
export const UPLOAD_PATHS: Paths = {
  '/upload': {
    post: {
      operationId: 'upload',
      summary: 'Put one file here for a while',
      parameters: [
        {
          name: 'expires',
          in: 'query',
          description: 'How long to keep it: a number and s, m, h or d. The service may keep it for less.',
          schema: { type: 'string' },
          example: '1h',
        },
      ],
      requestBody: {
        required: true,
        content: {
          'multipart/form-data': {
            schema: {
              type: 'object',
              required: ['file'],
              properties: { file: { type: 'string', contentMediaType: ANY } },
            },
          },
        },
      },
      responses: {
        200: answers(
          'application/json',
          { schema: component('Upload'), example: examples.UPLOAD },
          'Stored.',
          [...CORS, ...RATE, ...UNKEPT, 'X-Delete-Url'],
        ),
        ...failures(
          {
            400: 'no file, a wrong field, two files, malformed, or cut off',
            413: 'the file is too large',
            415: 'send multipart/form-data',
            429: 'too many at once, or too often',
            ...DOWN,
            507: 'your share, or the store, is full',
          },
          [...CORS, ...RATE],
        ),
      },
    },
  },
  '/{id}': {
    get: {
      operationId: 'getFilePage',
      summary: 'The page of a file',
      parameters: [ID],
      responses: {
        200: answers('text/html', TEXT, 'OK', [...CORS, ...PAGE, 'Cache-Control', 'X-Content-Type-Options']),
        ...failures(GONE, CORS),
      },
    },
  },
  '/f/{name}': {
    get: {
      operationId: 'getFile',
      summary: 'The bytes of a file',
      parameters: [
        fromPath('name', 'The id and, where there is one, the extension.'),
        {
          name: 'Range',
          in: 'header',
          description: 'A part of it.',
          schema: { type: 'string' },
          example: 'bytes=0-99',
        },
      ],
      responses: {
        200: { ...answers('*/*', BYTES, 'OK', FILE) },
        206: { ...answers('*/*', BYTES, 'A part of it.', [...FILE, 'Content-Range']) },
        304: {
          description: 'You have it already.',
          headers: headers(FILE.filter((name) => !['Accept-Ranges', 'Content-Disposition'].includes(name))),
        },
        ...failures(GONE, CORS),
        ...failures({ 429: 'too many downloads from your address are under way' }, CORS),
        ...failures({ 412: OTHER_VERSION }, [
          ...[...CORS, 'Content-Security-Policy', 'Cross-Origin-Resource-Policy', 'Referrer-Policy'],
        ]),
        ...failures({ 416: 'it has no such bytes' }, [
          ...[...CORS, 'Content-Range', 'Content-Security-Policy', 'Cross-Origin-Resource-Policy'],
          'Referrer-Policy',
        ]),
      },
    },
  },
  '/d/{id}/{key}': {
    get: {
      operationId: 'getDeletePage',
      summary: 'A page with a button that removes the file',
      parameters: [ID, KEY],
      responses: {
        200: answers('text/html', TEXT, 'OK', [...CORS, ...PAGE, 'Cache-Control', 'X-Content-Type-Options']),
        ...failures(GONE, CORS),
      },
    },
    post: {
      operationId: 'deleteByForm',
      summary: 'What that button does',
      parameters: [ID, KEY],
      responses: {
        200: answers('text/html', TEXT, 'Removed.', [
          ...CORS,
          ...PAGE,
          'Cache-Control',
          'X-Content-Type-Options',
        ]),
        ...failures(GONE, CORS),
      },
    },
    delete: {
      operationId: 'deleteFile',
      summary: 'Remove a file',
      parameters: [ID, KEY],
      responses: {
        204: { description: 'Removed.', headers: headers([...CORS, ...UNKEPT]) },
        ...failures(GONE, CORS),
      },
    },
  },
  '/sharex.sxcu': {
    get: {
      operationId: 'getShareXConfiguration',
      summary: 'The configuration for ShareX',
      responses: documentAnswers('application/json', { schema: { type: 'object' } }, []),
    },
  },
};
