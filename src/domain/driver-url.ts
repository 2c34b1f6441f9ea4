/** `sqlite:PATH` → `sqlite:`. An adapter is chosen by the scheme of its URL, which also carries its options. */
export function schemeOf(url: string): string {
  return url.slice(0, url.indexOf(':') + 1);
}

/** Picks by the scheme of a URL that configuration has checked. */
export function driverFor<Adapter>(url: string, adapters: Record<string, Adapter>): Adapter {
  const adapter = adapters[schemeOf(url)];
  if (!adapter) throw new Error(`there is no adapter for ${schemeOf(url)}`);
  return adapter;
}
