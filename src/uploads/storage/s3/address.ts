/** The parts of an `s3://` URL. */
export interface S3Address {
  bucket: string;
  region: string;
  /** URL of a server other than Amazon's. */
  endpoint: string | undefined;
  /** The beginning of every key: empty, or a folder with its slash. */
  prefix: string;
  /** The name of bucket and folder in messages. */
  label: string;
}

const OPTIONS = ['region', 'endpoint', 'prefix'];
const FORM = 'like s3://bucket?region=eu-central-1, with &endpoint=https://… for a server other than Amazon';

/** Parses `s3://bucket?region=…[&endpoint=https://host][&prefix=folder]`. Throws an Error that says what it must be. */
export function parseS3Url(text: string): S3Address {
  const url = URL.parse(text);
  const bucket = url?.hostname ?? '';
  if (!url || !/^[\w.-]{3,63}$/u.test(bucket) || url.port || !/^\/?$/u.test(url.pathname))
    throw new Error(`must be ${FORM}`);
  if (url.username || url.password)
    throw new Error('must not hold a key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const unknown = [...url.searchParams.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw new Error(`must have no option but ${OPTIONS.join(', ')}`);
  const region = url.searchParams.get('region');
  if (!region) throw new Error(`must name a region, ${FORM}`);
  const endpoint = parseEndpoint(url.searchParams.get('endpoint'));
  const prefix = parsePrefix(url.searchParams.get('prefix') ?? '');
  const label = `s3://${bucket}/${prefix}${endpoint ? ` at ${endpoint}` : ''}`;
  return { bucket, region, endpoint, prefix, label };
}

function parseEndpoint(text: string | null): string | undefined {
  if (text === null) return undefined;
  const url = URL.parse(text);
  if (!url || !/^https?:$/u.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new Error('must have an endpoint that begins with http:// or https:// and ends with its path');
  return url.href.replace(/\/$/u, '');
}

/** Allows only characters that no server and no proxy rewrites. */
function parsePrefix(text: string): string {
  const folder = text.replace(/\/$/u, '');
  if (folder === '') return '';
  if (folder.length <= 256 && /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/u.test(folder)) return `${folder}/`;
  throw new Error('must have a prefix of letters, digits, and - _ . / only');
}
