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
