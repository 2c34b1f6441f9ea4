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
