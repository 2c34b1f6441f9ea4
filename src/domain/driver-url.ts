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
