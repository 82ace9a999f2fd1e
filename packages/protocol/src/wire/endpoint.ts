// What each endpoint states about itself. Services check calls by it, clients get their types, and the reference its texts.
import type * as z from 'zod/mini';
import type { Permission } from './permissions.ts';
import type { ProblemCode } from './problems.ts';

/** An endpoint: the permission that it needs, its input and its output. */
export interface Endpoint {
  /** The permission that the API key needs. */
  readonly permission: Permission;
  readonly summary: string;
  readonly body?: z.ZodMiniObject;
  readonly query?: z.ZodMiniObject;
  readonly item?: z.ZodMiniObject;
  readonly output: z.ZodMiniObject;
  /** The HTTP status of a successful response, if it is not 200. */
  readonly status?: 201 | 202;
  /** The member of the output that names what the call creates: the path of the new record ends with it. */
  readonly creates?: string;
  /** If true, the call writes no audit entry. Calls by GET never do. */
  readonly readOnly?: true;
  /** If true, such a call is judged on one snapshot of all that it needs, and not on what is remembered. */
  readonly snapshot?: true;
  /** If true, the endpoint refuses calls of tenants that are envelope-only. */
  readonly serverMode?: true;
  /** If true, only servers have the endpoint: a local service has no log, no API keys and no issuers. */
  readonly onServers?: true;
  /** If true, the endpoint refuses API keys that are limited to some keys. */
  readonly unlimited?: true;
  /** If true, a user of an issuer can call the endpoint for the own data. */
  readonly forUsers?: true;
  /** What such a user gets instead of `output`, if that is less. */
  readonly userOutput?: z.ZodMiniObject;
  /** If true, the response contains a key or a plaintext, so caches must not store the response. */
  readonly secret?: true;
  /** The number of seconds for which the client can cache the response. */
  readonly maxAge?: number;
  /**
   * What a call takes of a server beside its body, where a wrap takes 1, which is the default. A tenant has one call of 33 at
   * once, which is for lists that can have megabytes; beside it, or one more like it, one of 31, which is for what takes long.
   */
  readonly cost?: 16 | 31 | 33;
  /** As `snapshot`, also if the head of the log is not as the service wrote it: the call tells of that. */
  readonly ofAnyHead?: true;
}

/** Endpoints of one subject, by method and path. */
export type Endpoints = Readonly<Record<string, Endpoint>>;

/**
 * What the reference says about a group of endpoints. Each group has it in a function, so that a bundle with the schemas
 * of the endpoints contains none of these texts.
 */
export interface Group<All extends Endpoints> {
  readonly title: string;
  readonly about: string;
  /** What it says about a field, by its name, or by `parent.name` where the name has several meanings. */
  readonly fields: Readonly<Record<string, string>>;
  readonly calls: {
    readonly [R in keyof All & string]: CallText<InputOf<'', All[R]>, z.output<All[R]['output']>>;
  };
}

/** What the reference says about a call: its name, its text, an example, and the problems that the endpoint does not tell. */
export interface CallText<In = object, Out = object> {
  readonly id: string;
  readonly about: string;
  readonly problems?: readonly ProblemCode[];
  /** The fields of the query and the body. The ids in the path are the same in all examples. */
  readonly input?: In;
  readonly output: Out;
}

/** The input of a call: the fields of its path, query and body. */
export type InputOf<Route extends string, E> = PathPart<Route> & Part<E, 'query'> & Part<E, 'body'>;

type Part<E, Name extends 'body' | 'query'> = E extends {
  readonly [N in Name]: infer Schema extends z.ZodMiniType;
}
  ? Fields<z.output<Schema>>
  : unknown;

/**
 * Omits schemas without fields. For such a schema, zod infers Record<string, never>, and the input could then have no
 * fields at all.
 */
type Fields<Value> = string extends keyof Value ? unknown : Value;

type PathPart<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [N in Name]: string } & PathPart<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { [N in Name]: string }
    : unknown;

/** Splits the name of an endpoint, such as `GET /v1/keys/:key_id`, into method and path, and names the parameters of the path. */
export function splitRoute(route: string) {
  const [method = '', path = ''] = route.split(' ');
  const parameters = path.split('/').flatMap((part) => (part.startsWith(':') ? part.slice(1) : []));
  return { method, path, parameters };
}

/** Replaces the endpoints that a text for people names. It writes each id as `:id`. */
export function replaceRoutes(text: string, by: ReadonlyMap<string, string>): string {
  const named = new Map(Array.from(by, ([route, other]) => [route.replace(/:\w+/, ':id'), other]));
  return text.replace(
    /`?((?:GET|POST|PUT|PATCH|DELETE) \/[\w/:-]+)`?/g,
    (whole, route: string) => named.get(route) ?? whole,
  );
}

/** Whether a call of the endpoint can write. */
export const canWrite = (route: string, { readOnly }: Endpoint): boolean =>
  splitRoute(route).method !== 'GET' && !readOnly;

/** Whether a call of the endpoint has a JSON body. Others accept no body, an empty one or `{}`. */
export const takesFields = ({ body }: Pick<Endpoint, 'body'>): boolean =>
  Object.keys(body?.shape ?? {}).length > 0;
