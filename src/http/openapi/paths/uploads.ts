import * as examples from '../examples.ts';
import { headers } from '../headers.ts';
import {
  CORS_HEADERS,
  component,
  documentResponses,
  EXPIRES,
  failures,
  LANG,
  NOT_MODIFIED,
  OTHER_VERSION,
  type Paths,
  response,
  TEXT,
  UNCACHED_HEADERS,
} from '../parts.ts';
import { filePage, fromPath, GONE, ID, RATE_HEADERS } from './upload-parts.ts';

const SECURITY_HEADERS = ['Content-Security-Policy', 'Cross-Origin-Resource-Policy', 'Referrer-Policy'];
const FILE_HEADERS = [
  ...CORS_HEADERS,
  'ETag',
  'Last-Modified',
  'Cache-Control',
  'Accept-Ranges',
  'Content-Disposition',
  'X-Content-Type-Options',
  'X-Robots-Tag',
  ...SECURITY_HEADERS,
];
const OCTET_STREAM = 'application/octet-stream';
const BYTES = { schema: { type: 'string', contentMediaType: OCTET_STREAM } };

const KEY = fromPath('key', 'The secret that only the uploader has.', 'J1ZQm8uUQd6sXkq0yq2c3A');

/** A place to put a file for a while. */
export const UPLOAD_PATHS: Paths = {
  '/upload': {
    post: {
      operationId: 'upload',
      tags: ['Uploads'],
      summary: 'Upload a file',
      description:
        'One file in the field file of a multipart form. The answer has its addresses; X-Delete-Url deletes it. A form of a browser receives a page.',
      parameters: [EXPIRES],
      requestBody: {
        description: 'The file, and in a field before it, if you like, how long to keep it.',
        required: true,
        content: {
          'multipart/form-data': {
            schema: {
              type: 'object',
              required: ['file'],
              properties: {
                expires: { type: 'string', description: 'As the parameter of the same name.' },
                file: { type: 'string', contentMediaType: OCTET_STREAM },
              },
            },
          },
        },
      },
      responses: {
        200: {
          description: 'The file is stored.',
          headers: headers([...CORS_HEADERS, ...RATE_HEADERS, ...UNCACHED_HEADERS, 'X-Delete-Url']),
          content: {
            'application/json': { schema: component('Upload'), example: examples.UPLOAD },
            'text/html': TEXT,
          },
        },
        ...failures(
          {
            400: 'There is no file, a wrong field or a second file, or the body is malformed or cut off.',
            403: 'The operator has blocked your address or the content of the file.',
            413: 'The file is too large.',
            415: 'The body is not multipart/form-data.',
            422: 'The malware scanner found something in the file.',
            429: 'Your address has too many uploads under way, or has sent too many recently.',
            503: 'The storage or the malware scanner cannot be reached.',
            507: 'Your share of the storage, or all of it, is full.',
          },
          RATE_HEADERS,
        ),
      },
    },
  },
  '/{id}': {
    get: {
      operationId: 'getFilePage',
      tags: ['Uploads'],
      summary: 'Show the page of a file',
      description: 'Name, size, type, expiry, SHA-256 and a preview, in Indonesian or English.',
      parameters: [ID, LANG],
      responses: filePage('The page.'),
    },
  },
  '/f/{name}': {
    get: {
      operationId: 'getFile',
      tags: ['Uploads'],
      summary: 'Download a file',
      description: 'The bytes as they were sent. Parts and conditional requests are supported.',
      parameters: [
        fromPath('name', 'The name of the file in its addresses, with its extension.', `${examples.ID}.png`),
        {
          name: 'Range',
          in: 'header',
          description: 'Only these bytes.',
          schema: { type: 'string' },
          example: 'bytes=0-99',
        },
      ],
      responses: {
        200: response('*/*', BYTES, 'The whole file.', FILE_HEADERS),
        206: response('*/*', BYTES, 'A part of the file.', [...FILE_HEADERS, 'Content-Range']),
        304: {
          description: NOT_MODIFIED,
          headers: headers(
            FILE_HEADERS.filter((name) => !['Accept-Ranges', 'Content-Disposition'].includes(name)),
          ),
        },
        ...failures(GONE),
        ...failures({ 429: 'Your address has too many downloads under way.' }),
        ...failures({ 412: OTHER_VERSION }, SECURITY_HEADERS),
        ...failures({ 416: 'The file has no such bytes.' }, ['Content-Range', ...SECURITY_HEADERS]),
      },
    },
  },
  '/d/{id}/{key}': {
    get: {
      operationId: 'getDeletePage',
      tags: ['Uploads'],
      summary: 'Show the page that deletes a file',
      description: 'A page with a button. Opening it deletes nothing.',
      parameters: [ID, KEY, LANG],
      responses: filePage('The page.'),
    },
    post: {
      operationId: 'deleteByForm',
      tags: ['Uploads'],
      summary: 'Delete a file with the button of that page',
      description: 'For forms of a browser, which cannot send DELETE.',
      parameters: [ID, KEY, LANG],
      responses: filePage('The file is deleted.'),
    },
    delete: {
      operationId: 'deleteFile',
      tags: ['Uploads'],
      summary: 'Delete a file',
      description: 'The page, the bytes and this address are gone at once.',
      parameters: [ID, KEY],
      responses: {
        204: {
          description: 'The file is deleted.',
          headers: headers([...CORS_HEADERS, ...UNCACHED_HEADERS]),
        },
        ...failures(GONE),
      },
    },
  },
  '/sharex.sxcu': {
    get: {
      operationId: 'getShareXConfiguration',
      tags: ['Uploads'],
      summary: 'Get the configuration for ShareX',
      description: 'A custom uploader: open it with ShareX.',
      responses: documentResponses(
        'application/json',
        { schema: { type: 'object' } },
        'The configuration.',
        [],
      ),
    },
  },
};
