/** One step of a selector: what an element must have to match it. */
interface Step {
  tag: string | undefined;
  id: string | undefined;
  classes: string[];
  attribute: string | undefined;
  /** The position among its siblings, from 1. */
  position: number | undefined;
}

/** A selector, its last step first. */
export interface Selector {
  steps: Step[];
  /** Whether each step is the parent of the one before it (`a > b`), and not any ancestor (`a b`). */
  isPath: boolean;
  /** Whether the outermost step must be a child of a scope, the element to search in (`& > b`). */
  isAnchored: boolean;
}

const STEP =
  /^([a-z][\w-]*)?(#[^\s#.[\]:>@&]+)?((?:\.[^\s#.[\]:>@&]+)*)(?:\[([\w-]+)\])?(?::nth-child\((\d{1,5})\))?$/iu;
const NAME = /^[\p{L}\p{N}_-]{1,60}$/u;
const TAG = /^[a-z][\w-]{0,59}$/u;

/**
 * Parses a part of CSS: `tag#id.class[attribute]:nth-child(2)`, with either spaces between the steps or ` > `, never
 * both. `& > ` at the beginning means a child of the element to search in.
 */
export function parseSelector(selector: string): Selector {
  const isPath = selector.includes('>');
  const parts = selector.split(isPath ? /\s*>\s*/u : /\s+/u);
  const isAnchored = parts[0] === '&';
  return {
    steps: parts
      .slice(isAnchored ? 1 : 0)
      .map(parseStep)
      .reverse(),
    isPath,
    isAnchored,
  };
}

/** Whether a class or an id can be used in a selector, and shown to people. */
export function isName(text: string): boolean {
  return NAME.test(text);
}

export function isTag(text: string): boolean {
  return TAG.test(text);
}

/** `.cover img@data-src` → the selector, and the attribute with the value; undefined for the text of the element. */
export function splitLocation(location: string): { selector: string; attribute: string | undefined } {
  const at = location.lastIndexOf('@');
  if (at < 0) return { selector: location, attribute: undefined };
  return { selector: location.slice(0, at), attribute: location.slice(at + 1) };
}

function parseStep(text: string): Step {
  const [, tag, id, classes = '', attribute, position] = STEP.exec(text) ?? [];
  if (!text || !STEP.test(text)) throw new Error(`not a selector: ${text}`);
  return {
    tag,
    id: id?.slice(1),
    classes: classes.split('.').filter(Boolean),
    attribute,
    position: position === undefined ? undefined : Number(position),
  };
}
