interface Advice {
  /** Matches the name and the status of an error of S3. */
  pattern: RegExp;
  /** What the operator should do. */
  text: string;
}

/** The first pattern that matches applies. */
const ADVICE: readonly Advice[] = [
  {
    pattern: /invalidaccesskey|signaturedoesnotmatch|expiredtoken|invalidtoken|credentials/iu,
    text: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  },
  {
    pattern: /nosuchbucket/iu,
    text: 'create the bucket, or correct UPLOAD_STORAGE_URL',
  },
  {
    pattern: /requesttimetooskewed/iu,
    text: "set this machine's clock",
  },
  {
    pattern: /redirect|authorizationheadermalformed/iu,
    text: 'correct region and endpoint in UPLOAD_STORAGE_URL',
  },
  {
    pattern: /denied|403/iu,
    text: 'let its key list the bucket and its uploads, and read, write and delete in it',
  },
];

const OTHERWISE =
  'check that it runs, that this machine can reach it, and the endpoint in UPLOAD_STORAGE_URL';

/** What the operator should do about an error of S3, by its name and status. */
export function adviceFor(name: string, status: number | undefined): string {
  const error = `${name} ${status}`;
  return ADVICE.find(({ pattern }) => pattern.test(error))?.text ?? OTHERWISE;
}
