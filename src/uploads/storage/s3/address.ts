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

const ADDRESS = /^s3:\/\/(?<bucket>[\w.-]{3,63})\/?\?(?<options>.*)$/u;
const ENDPOINT = /^https?:\/\/[^?#@\s]+$/u;
/** Has only characters that no server and no proxy rewrites. */
const PREFIX = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*\/?$/u;
const MAX_PREFIX_LENGTH = 256;

/** Parses `s3://bucket?region=…[&endpoint=https://host][&prefix=folder]`. Throws an Error that says what it must be. */
export function parseS3Url(text: string): S3Address {
  const { bucket, options } = ADDRESS.exec(text)?.groups ?? {};
  const { region, endpoint, prefix = '', ...unknown } = Object.fromEntries(new URLSearchParams(options));
  const isEndpoint = endpoint === undefined || (ENDPOINT.test(endpoint) && URL.canParse(endpoint));
  const isPrefix = prefix === '' || (PREFIX.test(prefix) && prefix.length <= MAX_PREFIX_LENGTH);
  if (!bucket || !region || !isEndpoint || !isPrefix || Object.keys(unknown).length > 0) {
    throw new Error(
      'must be like s3://bucket?region=eu-central-1, with &endpoint=https://… for a server other than Amazon, and &prefix=… for a folder of letters, digits and - _ . /; the key belongs in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    );
  }
  const folder = prefix.replace(/[^/]$/u, '$&/');
  return {
    bucket,
    region,
    endpoint: endpoint?.replace(/\/$/u, ''),
    prefix: folder,
    label: `s3://${bucket}/${folder}${endpoint ? ` at ${endpoint}` : ''}`,
  };
}
