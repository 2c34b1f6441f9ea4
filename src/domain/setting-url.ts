/** `sqlite:PATH` → `sqlite:`, which chooses the driver; the rest of the URL carries its options. */
export function schemeOf(url: string): string {
  return url.slice(0, url.indexOf(':') + 1);
}

/** The driver for the scheme of a URL. Throws for a scheme that the configuration should have rejected. */
export function driverFor<Driver>(url: string, drivers: Record<string, Driver>): Driver {
  const driver = drivers[schemeOf(url)];
  if (!driver) throw new Error(`there is no driver for ${schemeOf(url)}`);
  return driver;
}

/** A URL whose password ends it early: what follows would be taken for a host. No part of such a URL may be shown. */
export class UnescapedPasswordError extends Error {
  constructor() {
    super(
      'has a password with a character that ends it: write # as %23, ? as %3F, @ as %40, / as %2F and % as %25',
    );
    this.name = 'UnescapedPasswordError';
  }
}

/** Throws UnescapedPasswordError for a URL with such a password. A URL of these has no `@` after its host. */
export function requireEscapedPassword(url: string): void {
  const [, rest = ''] = /^[a-z][a-z\d+.-]*:\/\/(.*)$/isu.exec(url) ?? [];
  const credentials = rest.slice(0, Math.max(rest.lastIndexOf('@'), 0));
  if (/[#?@/]|%(?![\da-f]{2})/iu.test(credentials) || rest.includes('#')) throw new UnescapedPasswordError();
}

/**
 * Replaces the credentials of a URL, or of each URL in a comma-separated list, by `***`. Invalid settings are shown as
 * well, so the text is matched and not parsed; in doubt it hides more.
 */
export function redactSetting(value: string): string {
  return value
    .split(/(?<=,\s*)(?=[a-z][a-z\d+.-]*:\/\/)/iu)
    .map((item) => item.replace(/^(?=.*:.*@)([a-z][a-z\d+.-]*:(?:\/\/)?)?.+@/isu, '$1***@'))
    .join('');
}

/** Replaces the credentials of every URL in a text, such as the message of a library's error, by `***`. */
export function redactText(text: string): string {
  return text.replace(/\b([a-z][a-z\d+.-]*:\/\/)\S*@/giu, '$1***@');
}
