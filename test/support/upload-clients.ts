/** The multipart bodies of the clients that post to upload services, byte for byte as those clients write them. */

interface FormFile {
  field: string;
  name: string;
  content: string;
  type: string;
}

interface ClientRequest {
  headers: Record<string, string>;
  body: Buffer;
}

type Fields = Record<string, string>;
export type UploadClient = (fields: Fields, files: FormFile[]) => ClientRequest;

const field = (name: string, value: string) =>
  `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;

const typed = ({ field: name, name: filename, type, content }: FormFile) =>
  `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n${content}`;

function join(boundary: string, parts: string[], headers: Record<string, string>): ClientRequest {
  const body = Buffer.from(
    `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`,
  );
  const type = `multipart/form-data; boundary=${boundary}`;
  return { headers: { ...headers, 'Content-Type': type, 'Content-Length': String(body.length) }, body };
}

const fieldsOf = (fields: Fields) => Object.entries(fields).map(([name, value]) => field(name, value));

/** `requests.post(url, data=…, files={field: (name, bytes, type)})` of requests 2.34. */
const pythonRequests: UploadClient = (fields, files) =>
  join('6e9fdb8d1b7188341983aa4c00dc5c1f', [...fieldsOf(fields), ...files.map(typed)], {
    'User-Agent': 'python-requests/2.34.2',
    'Accept-Encoding': 'gzip, deflate',
    Accept: '*/*',
    Connection: 'keep-alive',
  });

/** `requests.post(url, data=…, files={field: open(path)})`: the part has no type. */
const pythonFile: UploadClient = (fields, files) => {
  const untyped = (one: FormFile) => typed(one).replace(/\r\nContent-Type: [^\r]+/u, '');
  return join('ac928ff30028d97e376fbaaa3effaa64', [...fieldsOf(fields), ...files.map(untyped)], {
    'User-Agent': 'python-requests/2.34.2',
    Accept: '*/*',
  });
};

/** `axios.post(url, form, { headers: form.getHeaders() })` with the package form-data, whose file is appended first. */
const axiosFormData: UploadClient = (fields, files) =>
  join('--------------------------515890814546601021194782', [...files.map(typed), ...fieldsOf(fields)], {
    Accept: 'application/json, text/plain, */*',
    'User-Agent': 'axios/1.7.9',
    'Accept-Encoding': 'gzip, compress, deflate, br',
    Connection: 'keep-alive',
  });

/** The same as a bot sends it that names a browser, and copies its headers. */
const axiosAsBrowser: UploadClient = (fields, files) =>
  join('axios-1.7.9-boundary-Hn3XkPq0vVfR8sYz2cT1wLm', [...fieldsOf(fields), ...files.map(typed)], {
    Accept: 'application/json, text/plain, */*',
    'User-Agent': 'Mozilla/5.0 (Android 10; Mobile; rv:131.0) Gecko/131.0 Firefox/131.0',
    Referer: 'https://uguu.se/',
  });

/** ShareX: `RequestHelpers.MakeInputContent` and `MakeFileInputContentOpen`, without an Accept header. */
const shareX: UploadClient = (fields, files) =>
  join('--------------------8dd2b1f5c9a7e40', [...fieldsOf(fields), ...files.map(typed)], {
    'User-Agent': 'ShareX/17.0.0',
    'Cache-Control': 'no-cache',
  });

/** A client that says nothing beside what HTTP needs. */
const bare: UploadClient = (fields, files) => join('x', [...fieldsOf(fields), ...files.map(typed)], {});

export const UPLOAD_CLIENTS: Record<string, UploadClient> = {
  'requests with a typed file': pythonRequests,
  'requests with an open file': pythonFile,
  'axios with form-data': axiosFormData,
  'axios as a browser': axiosAsBrowser,
  ShareX: shareX,
  'a client without headers': bare,
};
