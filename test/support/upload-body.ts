const BOUNDARY = 'tayang-7MA4YWxkTrZu0gW';
export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

/** A part of a body with this disposition, for example `form-data; name="file"; filename="a.txt"`. */
export function part(disposition: string, content: Buffer | string = 'x', headers: string[] = []): Buffer {
  const head = [`--${BOUNDARY}`, `Content-Disposition: ${disposition}`, ...headers, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]);
}

export function filePart(name = 'a.txt', content: Buffer | string = 'x', type = 'text/plain'): Buffer {
  return part(`form-data; name="file"; filename="${name}"`, content, [`Content-Type: ${type}`]);
}

export function multipart(...parts: Buffer[]): Buffer {
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}
