import * as examples from '../examples.ts';
import { headers } from '../headers.ts';
import {
  CORS_HEADERS,
  component,
  EXPIRES,
  failures,
  type Parameter,
  type Paths,
  response,
  UNCACHED_HEADERS,
} from '../parts.ts';
import { fromPath, RATE_HEADERS } from './upload-parts.ts';

const TUS_HEADERS = [...CORS_HEADERS, 'Tus-Resumable'];
const DOWN = { 503: 'The storage cannot be reached.' };
const GONE = {
  404: 'The upload never existed, or it was removed.',
  410: 'The upload has expired.',
  429: 'Your address has sent too many requests.',
  ...DOWN,
};
const tusFailures = (reasons: Record<number, string>, names: readonly string[] = []) =>
  failures(reasons, ['Tus-Resumable', ...names]);
const WRONG_VERSION = tusFailures({ 412: 'Tus-Resumable is not 1.0.0.' }, ['Tus-Version']);
const TOO_LARGE = 'The file is too large, or the body exceeds the announced length.';
const NOT_BYTES = 'The body is not application/offset+octet-stream.';

const inHeader = (name: string, description: string, example: string, required = true): Parameter => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
  example,
});
const VERSION = inHeader('Tus-Resumable', 'The version of the protocol.', '1.0.0');
const CHECKSUM = inHeader(
  'Upload-Checksum',
  'The algorithm, sha1 or sha256, then a space and the digest of the body in Base64.',
  'sha1 qUqP5cyxm6YcTAhz05Hph5gvu9M=',
  false,
);
const SECRET = fromPath(
  'secret',
  'The secret in the address of the upload, which is in Location.',
  examples.ID,
);
const BYTES = {
  'application/offset+octet-stream': {
    schema: { type: 'string', contentMediaType: 'application/octet-stream' },
  },
};
const CREATED = {
  schema: { type: 'object', required: ['status'], properties: { status: { const: true } } },
  example: { status: true },
};

/** Uploads that continue after the connection has broken, by tus 1.0.0. */
export const RESUMABLE_PATHS: Paths = {
  '/files': {
    post: {
      operationId: 'createUpload',
      tags: ['Uploads'],
      summary: 'Create a resumable upload',
      description:
        'Announces a file; Location is the address for its bytes. The protocol is tus 1.0.0 (https://tus.io), with creation-with-upload, checksum, termination and expiration.',
      parameters: [
        EXPIRES,
        VERSION,
        inHeader('Upload-Length', 'The size of the whole file in bytes.', '104857600'),
        inHeader(
          'Upload-Metadata',
          'Name and type of the file: filename and filetype, each with its value in Base64.',
          'filename Zm90by5wbmc=,filetype aW1hZ2UvcG5n',
          false,
        ),
        CHECKSUM,
      ],
      requestBody: { description: 'The first bytes, if you like.', required: false, content: BYTES },
      responses: {
        201: response('application/json', CREATED, 'The upload is created.', [
          ...TUS_HEADERS,
          ...RATE_HEADERS,
          ...UNCACHED_HEADERS,
          'Location',
          'Upload-Expires',
        ]),
        ...tusFailures(
          {
            400: 'A header is missing or malformed.',
            413: TOO_LARGE,
            415: NOT_BYTES,
            429: 'Your address has too many uploads under way, or has sent too many recently.',
            ...DOWN,
            507: 'Your share of the storage, or all of it, is full.',
          },
          RATE_HEADERS,
        ),
        ...WRONG_VERSION,
      },
    },
  },
  '/files/{secret}': {
    head: {
      operationId: 'getUploadOffset',
      tags: ['Uploads'],
      summary: 'Get the offset from which an upload continues',
      description: 'Upload-Offset is the number of bytes that are stored.',
      parameters: [SECRET, VERSION],
      responses: {
        200: {
          description: 'The upload can be continued, or is complete.',
          headers: headers([
            ...TUS_HEADERS,
            ...UNCACHED_HEADERS,
            'Upload-Offset',
            'Upload-Length',
            'Upload-Metadata',
            'Upload-Expires',
          ]),
        },
        ...tusFailures(GONE),
        ...WRONG_VERSION,
      },
    },
    patch: {
      operationId: 'continueUpload',
      tags: ['Uploads'],
      summary: 'Send the next bytes of an upload',
      description:
        'The bytes that have arrived are kept when the connection breaks, unless there is a checksum. The last byte completes the file.',
      parameters: [
        SECRET,
        VERSION,
        inHeader('Upload-Offset', 'The offset of the first byte: the number of bytes that are stored.', '0'),
        CHECKSUM,
      ],
      requestBody: { description: 'The bytes.', required: true, content: BYTES },
      responses: {
        204: {
          description: 'The bytes are stored.',
          headers: headers([...TUS_HEADERS, ...UNCACHED_HEADERS, 'Upload-Offset', 'Upload-Expires']),
        },
        ...tusFailures({
          ...GONE,
          400: 'A header is missing or malformed.',
          409: 'Upload-Offset is not the number of bytes that are stored.',
          413: TOO_LARGE,
          415: NOT_BYTES,
          423: 'Another request is writing to the upload.',
          429: 'Your address has too many uploads under way, or has sent too many recently.',
          460: 'The bytes do not match their checksum.',
          507: 'The storage is full.',
        }),
        ...WRONG_VERSION,
      },
    },
    get: {
      operationId: 'getUploadResult',
      tags: ['Uploads'],
      summary: 'Get the addresses of a file whose upload is complete',
      description: 'The same answer as that of POST /upload.',
      parameters: [SECRET],
      responses: {
        200: response(
          'application/json',
          { schema: component('Upload'), example: examples.UPLOAD },
          'The file is stored.',
          [...TUS_HEADERS, ...UNCACHED_HEADERS, 'X-Delete-Url'],
        ),
        ...tusFailures({ 409: 'The upload is not complete.', ...GONE }),
      },
    },
    delete: {
      operationId: 'removeUpload',
      tags: ['Uploads'],
      summary: 'Remove an upload',
      description: 'Removes the bytes that have arrived, and the file if the upload is complete.',
      parameters: [SECRET, VERSION],
      responses: {
        204: {
          description: 'The upload is removed.',
          headers: headers([...TUS_HEADERS, ...UNCACHED_HEADERS]),
        },
        ...tusFailures(GONE),
        ...WRONG_VERSION,
      },
    },
  },
};
