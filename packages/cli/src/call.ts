// Makes a command from a line of the table of calls. The id in the path of its endpoint is an argument, and the fields of
// its body or query are options, with what the reference says about them.
import { parseUuid } from '@eaas/protocol';
import { inputSchema, type JsonSchema } from '@eaas/protocol/internal-reference';
import { type Endpoint, endpoints, type Input, type Output, type Route } from '@eaas/protocol/wire';
import { checked } from '@eaas/server/internal';
import { Option } from 'commander';
import { allPages, type AnyCommand } from './command.ts';
import { WrongUsage } from './kit/index.ts';
import { next, note, printResult, printResults, type Reporting } from './output.ts';
import { records } from './records.ts';
import { byName, orNotFound } from './refusal.ts';
import { onTenantOrRemote, type OnTenantOrRemote, placeOf, withCaller } from './remote.ts';
import { fieldsOf, list, orNull, someOf, wholeNumber } from './values.ts';

/** How a person types a field. */
interface Typed {
  /** An option, or an argument such as `<version>`. */
  readonly flags?: string;
  readonly about?: string;
  readonly read?: (text: string, before: unknown) => unknown;
}

/** What the endpoint does not say about a command. */
interface Said<Answer, Field extends string> {
  /** By default, the summary of the endpoint. */
  readonly about?: string;
  /** What follows the name and the id in the examples. */
  readonly examples?: readonly string[];
  readonly fields?: { readonly [F in Field]?: Typed };
  /** The columns of a list, with a space between two. The first one is the id. */
  readonly columns?: string;
  /** An example of an option, if the command needs one of them. */
  readonly change?: string;
  /** Printed beside `--json` too. */
  readonly note?: string;
  print?(this: void, answer: Answer, options: Reporting): void;
  /** In the text, `:key_id` is that field of the answer, and `--tenant :tenant` names the tenant. */
  next?(answer: Answer, isRemote?: true): string | false;
}

export interface Call extends Said<Row, string> {
  readonly route: Route;
}

export const call = <R extends Route>(route: R, said: Said<Output<R>, keyof Input<R> & string>): Call => ({
  ...said,
  route,
});

type Row = Readonly<Record<string, unknown>>;

const missingKeys = 'The tenant does not have all of the keys in --key-ids: pass only ids of its own keys.';

export function commandOf(name: string, said: Call): AnyCommand {
  const columns = said.columns?.split(' ');
  const { examples = columns ? ['', ' --json'] : [''] } = said;
  const endpoint: Endpoint = endpoints[said.route];
  const [group, leaf = ''] = name.split(' ');
  const [, id = ''] = /:(\w+)/.exec(said.route) ?? [];
  const named = records[id];
  const words = named ? `${name} ${named.example}` : name;
  const lines = examples.map((more) => `${words}${more}`.replace(/$|(?= >)/, ' --tenant acme'));
  const command: AnyCommand = onTenantOrRemote(leaf, said.about ?? `${endpoint.summary}.`, lines);
  if (named) command.argument(named.argument, named.about);
  const schema = endpoint.body ?? endpoint.query;
  if (schema) addFields(command, endpoint, inputSchema(schema), said);
  return command.action(async () => {
    const options = command.opts() as unknown as OnTenantOrRemote;
    const [text = ''] = command.args;
    const fields = fieldsOf(options);
    if (said.change && Object.keys(fields).length === 0) {
      throw new WrongUsage(`Pass at least one option that changes the ${group}, as in ${said.change}.`);
    }
    const input = schema ? checked(schema, fields) : {};
    // Over HTTP, an id needs no permission to read.
    const knownId = options.remote && parseUuid(text);
    const answer = await withCaller(options, async (caller) => {
      const found = named && { [id]: knownId ?? (await byName(named.find(caller, text))) };
      const ask = (page: object = {}): Promise<Row> =>
        caller.ask(said.route, { ...input, ...found, ...page });
      if (columns) return allPages<Row>(async (page) => rowsIn(await ask(page)), columns[0] ?? '');
      return 'key_ids' in input ? orNotFound(missingKeys, ask()) : ask();
    });
    if (columns) return printResults(answer as readonly Row[], columns, options);
    const record = answer as Row;
    (said.print ?? printResult)(record, options);
    if (said.note) note(said.note);
    const step = said.next?.(record, options.remote) || undefined;
    const filled = step?.replace(/--tenant :tenant|:(\w+)/g, (_, field?: string) =>
      field === undefined ? placeOf(options) : String(record[field]),
    );
    if (filled !== undefined) next(filled, options);
  });
}

const rowsIn = (answer: Row): readonly Row[] => Object.values(answer).find(Array.isArray) ?? [];

function addFields(command: AnyCommand, endpoint: Endpoint, schema: JsonSchema, said: Call): void {
  const { properties = {}, required = [] } = schema;
  for (const [field, described] of Object.entries(properties)) {
    const isOfPage = said.columns && ['limit', 'offset'].includes(field);
    if (isOfPage) continue;
    const typed = { ...typedOf(field, described, endpoint), ...said.fields?.[field] };
    const { flags, about, read, choices } = typed;
    if (flags.startsWith('<')) {
      command.argument(flags, about, (text) => command.setOptionValue(field, read(text, undefined)));
      continue;
    }
    // A record that is new lacks what is not passed, so only a change needs null.
    const isNullable = described.anyOf !== undefined || Array.isArray(described.type);
    const canBeNull = isNullable && endpoint.status !== 201;
    const option = new Option(canBeNull ? flags.replace('>', '|null>') : flags, about);
    option.attributeName = () => field;
    option.makeOptionMandatory(required.includes(field));
    command.addOption(choices ? option.choices(choices) : option.argParser(canBeNull ? orNull(read) : read));
  }
}

const kinds: Readonly<Record<string, { readonly value: string; readonly read: (text: string) => unknown }>> =
  {
    boolean: { value: '', read: () => true },
    integer: { value: ' <number>', read: wholeNumber },
    array: { value: ' <list>', read: list },
    'date-time': { value: ' <time>', read: String },
    string: { value: ' <text>', read: String },
  };

/** Types a field by its name, its schema and its sentence in the reference. */
function typedOf(field: string, described: JsonSchema, { body }: Endpoint) {
  const { type: types, format, items, enum: choices } = described.anyOf?.[0] ?? described;
  const [type] = [types].flat();
  const { value = '', read = String } = kinds[String(format)] ?? kinds[String(type)] ?? {};
  const some = items?.['enum'] as readonly string[] | undefined;
  const sentence = (described.description ?? '').replace(/ Null [^.]+\./, '').replace(/\.$/, '');
  return {
    flags: `--${field.replaceAll('_', '-')}${value}`,
    about:
      sentence.slice(0, 1).toLowerCase() + sentence.slice(1) + (some ? `: some of ${some.join(',')}` : ''),
    // The values of a query are texts.
    read: body ? (some ? someOf(some) : read) : String,
    choices: choices as readonly string[] | undefined,
  };
}
