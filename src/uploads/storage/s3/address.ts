/** What an `s3://` URL says. */
export interface S3Address {
  bucket: string;
  region: string;
  /** Where a server is that is not Amazon's. */
  endpoint: string | undefined;
  /** What every key begins with: nothing, or a folder with its slash. */
  prefix: string;
  /** For people. */
  place: string;
}

const OPTIONS = ['region', 'endpoint', 'prefix'];
const LIKE = "like s3://bucket?region=eu-central-1, with &endpoint=https://… where it is not Amazon's";

/** `s3://bucket?region=…[&endpoint=https://host][&prefix=folder]`. Throws an Error that says what it must be. */
export function parseS3Url(text: string): S3Address {
  const url = URL.parse(text);
  const bucket = url?.hostname ?? '';
  if (!url || !/^[\w.-]{3,63}$/u.test(bucket) || url.port || !/^\/?$/u.test(url.pathname))
    throw new Error(`must be ${LIKE}`);
  if (url.username || url.password)
    throw new Error('must not hold a key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const unknown = [...url.searchParams.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw new Error(`must have no option but ${OPTIONS.join(', ')}`);
  const region = url.searchParams.get('region');
  if (!region) throw new Error(`must name a region, ${LIKE}`);
  const endpoint = readEndpoint(url.searchParams.get('endpoint'));
  const prefix = readPrefix(url.searchParams.get('prefix') ?? '');
  const place = `s3://${bucket}/${prefix}${endpoint ? ` at ${endpoint}` : ''}`;
  return { bucket, region, endpoint, prefix, place };
}

function readEndpoint(text: string | null): string | undefined {
  if (text === null) return undefined;
  const url = URL.parse(text);
  if (!url || !/^https?:$/u.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new Error(
      'must have an endpoint that begins with http:// or https://, and nothing behind its path',
    );
  return url.href.replace(/\/$/u, '');
}

/** Only what no server and no proxy on the way writes in another form. */
function readPrefix(text: string): string {
  const folder = text.replace(/\/$/u, '');
  if (folder === '') return '';
  if (folder.length <= 256 && /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/u.test(folder)) return `${folder}/`;
  throw new Error('must have a prefix of letters, digits, and - _ . / only');
}
