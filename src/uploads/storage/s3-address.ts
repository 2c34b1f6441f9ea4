/** What an `s3://` URL says. */
export interface S3Address {
  bucket: string;
  region: string;
  /** Where a server other than Amazon's answers. */
  endpoint: string | undefined;
  /** What every key begins with: nothing, or something that ends in a slash. */
  prefix: string;
}

const OPTIONS = ['region', 'endpoint', 'prefix'];

/**
 * `s3://bucket?region=eu-central-1[&endpoint=https://host][&prefix=tayang]`. Who may use it, the environment says, as
 * for every program of Amazon's (AWS_ACCESS_KEY_ID and so on). Throws an Error that says what the URL must be.
 */
export function parseS3Url(text: string): S3Address {
  const url = URL.parse(text);
  if (!url || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/u.test(url.host) || !/^\/?$/u.test(url.pathname))
    throw new Error('must be like s3://bucket?region=eu-central-1, the keys apart in AWS_ACCESS_KEY_ID …');
  const unknown = [...url.searchParams.keys()].find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw new Error(`has no option ${unknown}; there are ${OPTIONS.join(', ')}`);
  const region = url.searchParams.get('region');
  if (!region) throw new Error('must name a region: s3://bucket?region=eu-central-1');
  return { bucket: url.host, region, endpoint: readEndpoint(url), prefix: readPrefix(url) };
}

function readEndpoint({ searchParams }: URL): string | undefined {
  const endpoint = searchParams.get('endpoint');
  if (endpoint === null) return undefined;
  if (/^https?:\/\//u.test(endpoint) && URL.canParse(endpoint)) return endpoint;
  throw new Error('must have an endpoint that begins with http:// or https://');
}

function readPrefix({ searchParams }: URL): string {
  const prefix = searchParams.get('prefix') ?? '';
  if (/^(?:[\w.-]+(?:\/|$))*$/u.test(prefix) && prefix.length <= 200)
    return prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  throw new Error('must have a prefix of letters, digits, and - _ . / only');
}
