/**
 * A setting without what may be secret: whatever stands before an @ of a URL. Settings that cannot be used are shown
 * too, so nothing is parsed, and in doubt more is left out. A list is taken apart where the next URL begins.
 */
export function redactSetting(value: string): string {
  return value
    .split(/(?<=,\s*)(?=[a-z][a-z\d+.-]*:\/\/)/iu)
    .map((item) => item.replace(/^(?=.*:.*@)([a-z][a-z\d+.-]*:(?:\/\/)?)?.+@/isu, '$1***@'))
    .join('');
}

/** A text for people, such as an error of a library, in which a URL may stand. */
export function redactText(text: string): string {
  return text.replace(/\b([a-z][a-z\d+.-]*:\/\/)\S*@/giu, '$1***@');
}
