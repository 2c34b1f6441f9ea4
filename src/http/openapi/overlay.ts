/** What is used of the OpenAPI Overlay Specification 1.0: updates of objects. https://spec.openapis.org/overlay/v1.0.0 */
export interface Overlay {
  actions: { target: string; update: Record<string, unknown> }[];
}

/** Updates the document as the overlay says. Throws for a target that it does not have. */
export function applyOverlay(document: object, { actions }: Overlay): void {
  for (const { target, update } of actions) {
    const found = select(document, target);
    if (!isObject(found)) throw new Error(`the overlay's target ${target} is no object of the document`);
    merge(found, update);
  }
}

/** `.name`, `['name']`, or `[?@.key=='value']`, which selects the first such item of a list. */
const SEGMENT = /\.(?<name>[\w-]+)|\['(?<quoted>[^']+)'\]|\[\?@\.(?<key>[\w-]+)=='(?<value>[^']+)'\]/gu;

/** Follows a JSONPath of these segments; undefined where it leads to nothing. */
function select(document: object, path: string): unknown {
  const segments = [...path.matchAll(SEGMENT)];
  if (`$${segments.map(([text]) => text).join('')}` !== path)
    throw new Error(`the overlay's target ${path} is not supported`);
  let found: unknown = document;
  for (const { groups: { name, quoted, key = '', value } = {} } of segments) {
    if (Array.isArray(found)) found = found.find((item) => item[key] === value);
    else found = isObject(found) ? found[name ?? quoted ?? ''] : undefined;
  }
  return found;
}

/** Objects are merged with objects; any other value is replaced. */
function merge(target: Record<string, unknown>, update: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(update)) {
    const before = target[key];
    if (isObject(before) && isObject(value)) merge(before, value);
    else target[key] = value;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
