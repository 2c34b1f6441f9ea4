/** 1 to 70 characters of RFC 2046, quoted or not; the last one is no space. */
const BOUNDARY = /;\s*boundary=("?)([0-9a-z'()+_,\-./:=? ]{0,69}[0-9a-z'()+_,\-./:=?])\1\s*(?:;|$)/iu;

/** The boundary that a Content-Type names; undefined when it names none, a wrong one, or several. */
export function readBoundary(contentType: string): string | undefined {
  const names = contentType.match(/boundary\s*=/giu) ?? [];
  return names.length === 1 ? BOUNDARY.exec(contentType)?.[2] : undefined;
}
