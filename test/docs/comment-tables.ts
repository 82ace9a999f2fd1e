// Tables for developers that are made from doc comments: what an error, an event or a finding means stands beside its code
// and nowhere else. generated.ts puts them into the pages.
import { problems } from '@eaas/protocol/wire';
import { limitsOf } from '../../packages/sdk/src/data-keys/limits.ts';
import { sources } from '../house-rules/files.ts';

type Row = readonly string[];

const comment = String.raw`/\*\*((?:(?!\*/)[^])+)\*/\s*`;
const code = (name: string): string => `\`${name}\``;
const english = (value: number): string => value.toLocaleString('en');
const sourceOf = (path: string): string => sources.find((one) => one.path === `packages/${path}`)?.text ?? '';

/** Joins the lines of a doc comment up to its first example, without the last full stop. */
const plain = (text = ''): string => {
  const lines = text.replace(/@example[^]*/, '').replace(/^ *\* ?/gm, '');
  return lines.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
};

/** Returns the members of a union in a source text, and what their comments say. Each must have one. */
function meaningsIn(text: string, union: string): Row[] {
  const [, after = ''] = text.split(`export type ${union} =`);
  const [body = ''] = after.split(/\n(?=\n(?:\/\*\*|export|const))/);
  const member = `${comment}(?:\\| )?(?:\\{\\s*)?(?:readonly type: )?('[\\w.]+'(?: \\| '[\\w.]+')*)`;
  const found = Array.from(body.matchAll(new RegExp(member, 'g')));
  const all = body.match(/^ *(?:\| (?:\{ readonly type: )?|readonly type: )'/gm) ?? [];
  if (found.length !== all.length) throw new Error(`expected a comment before each member of ${union}`);
  return found.map(([, said, names = '']) => [
    names.replaceAll("'", '`').replaceAll(' | ', ', '),
    plain(said),
  ]);
}

const classes = `${comment}export class (\\w+) extends EaasError \\{[^]*?readonly code(?: = '(\\w+)'|: (\\w+))`;

/** The classes of errors in a source text with their codes; of a class with one code, when it is thrown. */
function errorsIn(text: string): Row[] {
  return Array.from(text.matchAll(new RegExp(classes, 'g'))).flatMap(
    ([, said, name = '', one, union = '']) => {
      const codes = one === undefined ? meaningsIn(text, union) : [];
      const [first = ''] = plain(said).split(/\.(?= [A-Z])/);
      const thrown = first.replace(/^Thrown (?:if|for) (.)/, (_, letter: string) => letter.toUpperCase());
      const [, named] = new RegExp(`${comment}export type ${union} =`).exec(text) ?? [];
      if (codes.length === 0) codes.push([one === undefined ? plain(named) : code(one), thrown]);
      const refused = 'The service [refused the call](api-contract.md#errors): `message` says what to do';
      if (name === 'ServiceError') codes.push([`${Object.keys(problems).length} others`, refused]);
      return codes.map(([first = '', meaning = ''], at) => [at === 0 ? code(name) : '', first, meaning]);
    },
  );
}

const presets = (['server', 'serverless', 'browser'] as const).map((preset): Row => {
  const { encrypt, decrypt } = limitsOf(preset);
  const time = encrypt.maxAge === 60_000 ? 'a minute' : `${encrypt.maxAge / 60_000} minutes`;
  const bytes = `${english(encrypt.maxBytes / 2 ** 20)} MiB`;
  const kept = `${english(decrypt.maxEntries)}, for ${time}`;
  return [code(`'${preset}'`), `${english(encrypt.maxMessages)} values, ${time}, ${bytes}`, kept];
});

type Table = () => readonly Row[];
const tableOf =
  (head: string, path: string, union: string): Table =>
  () => [[head, 'what it means'], ...meaningsIn(sourceOf(path), union)];

const files = sources.filter(({ path }) => /^packages\/(?:protocol|sdk)\//.test(path));

/** The rows of each table, by the name that pages give it. */
export const commentTables: Readonly<Record<string, Table>> = {
  'errors of clients': () => [
    ['error', '`code`', 'what happened'],
    ...files.flatMap(({ text }) => errorsIn(text)),
  ],
  'events of clients': tableOf('event', 'sdk/src/events.ts', 'EaasEvent'),
  'events of the proxy': tableOf('event', 'sdk/src/proxy/options.ts', 'ProxyEvent'),
  'findings of checkAudit': tableOf('finding', 'audit/src/findings.ts', 'AuditFindingCode'),
  'data keys': () => [['`cache`', 'a data key encrypts at most', 'unwrapped data keys kept'], ...presets],
};
