/** What the page of the API shows of its description, an OpenAPI 3.1 document. https://spec.openapis.org/oas/v3.1.1 */
export interface ApiDescription {
  info: { version: string; description: string };
  servers: Server[];
  /** The groups of operations, in the order of the page. */
  tags: {
    name: string;
    'x-displayName': string;
    description: string;
    /** Which address takes the place of which. */
    'x-replacements'?: Record<string, string>;
  }[];
  /** What developers often do, in the order of the page. */
  'x-tasks': Record<string, Task>;
  /** What is promised of later versions. */
  'x-stability': { description: string };
  /** What has changed, by version, the newest first. */
  'x-changes': Record<string, { title: string; changes: { description: string }[] }>;
  /** By path, then by method in small letters. */
  paths: Record<string, { servers?: Server[] } & Record<string, Operation>>;
  components: {
    parameters: Record<string, Parameter>;
    responses: Record<string, ApiResponse | Reference>;
    headers: Record<string, { description: string; schema: Schema }>;
    schemas: Record<string, Schema>;
  };
}

/** Code, and how it is run. */
export interface Code {
  source: string;
  /** The name of the file that the code is saved in. */
  file?: string;
  /** The lines for the shell that run it. */
  run?: string;
}

/** A task, with code of its own or with a program in each of several languages. */
export interface Task extends Partial<Code> {
  title: string;
  description: string;
  variants?: Record<string, TaskVariant>;
}

/** `name`: of the language or the library. */
export interface TaskVariant extends Code {
  name: string;
  description: string;
}

type Server = { url: string };

/** A part of `components`; a description beside it replaces the one of that part. */
interface Reference {
  $ref: string;
  description?: string;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: Reference[];
  /** The schemes of which one is needed; an empty one stands for none. */
  security?: Record<string, string[]>[];
  /** How it is requested, where its address alone does not say it. */
  'x-codeSamples'?: { source: string }[];
  /** By status. */
  responses: Record<string, ApiResponse | Reference>;
}

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  description: string;
  schema: Schema;
}

export interface ApiResponse {
  description: string;
  headers?: Record<string, Reference>;
  /** By media type. */
  content?: Record<string, { schema: Schema; example?: unknown }>;
}

/** What of JSON Schema the named schemas use. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  default?: unknown;
  format?: string;
  items?: Schema;
  oneOf?: readonly Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  description?: string;
}

/** The part of `components` that is referred to, or what is no reference. */
export function resolve<Part extends object>({ components }: ApiDescription, part: Part | Reference): Part {
  if (!('$ref' in part)) return part;
  const { $ref, ...beside } = part;
  const [kind, name] = $ref.split('/').slice(-2) as [keyof ApiDescription['components'], string];
  const found = components[kind][name] as Part | Reference | undefined;
  if (!found) throw new Error(`the API's description has no ${$ref}`);
  return { ...resolve({ components } as ApiDescription, found), ...beside };
}
