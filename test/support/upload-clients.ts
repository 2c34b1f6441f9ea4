import CLIENTS from './upload-clients.json' with { type: 'json' };

interface FormFile {
  field: string;
  name: string;
  content: string;
  type: string;
}

/** Writes the multipart body of a client that posts to upload services, byte for byte as that client does. */
export type UploadClient = (
  fields: Record<string, string>,
  files: FormFile[],
) => { headers: Record<string, string>; body: Buffer };

const DISPOSITION = 'Content-Disposition: form-data;';

/** Where `untyped`, files have no type. */
function toClient({ boundary, headers, untyped, filesFirst }: (typeof CLIENTS)[number]): UploadClient {
  return (fields, files) => {
    const values = Object.entries(fields).map(
      ([name, value]) => `${DISPOSITION} name="${name}"\r\n\r\n${value}`,
    );
    const contents = files.map(({ field, name, type, content }) => {
      const typeLine = untyped ? '' : `Content-Type: ${type}\r\n`;
      return `${DISPOSITION} name="${field}"; filename="${name}"\r\n${typeLine}\r\n${content}`;
    });
    const parts = filesFirst ? [...contents, ...values] : [...values, ...contents];
    const body = Buffer.from(
      `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`,
    );
    const type = `multipart/form-data; boundary=${boundary}`;
    return { headers: { ...headers, 'Content-Type': type, 'Content-Length': String(body.length) }, body };
  };
}

export const UPLOAD_CLIENTS: Record<string, UploadClient> = Object.fromEntries(
  CLIENTS.map((client) => [client.name, toClient(client)]),
);
