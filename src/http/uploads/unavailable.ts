import type { RequestListener } from 'node:http';

/** Answers 503 to every request while the service is restarted. */
export function answerUnavailable(retryAfterSeconds: number): RequestListener {
  const message = 'the uploads are being restarted; try again in a moment';
  const body = JSON.stringify({ status: false, message });
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    'Retry-After': retryAfterSeconds,
    Connection: 'close',
  };
  return (request, response) => {
    response.writeHead(503, headers).end(request.method === 'HEAD' ? undefined : body);
  };
}
