/** How long requests in flight may take to finish when the service stops. */
export const GRACE_MS = 30_000;
