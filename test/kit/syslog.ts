export interface SyslogMessage {
  readonly facility: number;
  readonly severity: number;
  readonly version: number;
  readonly time: string;
  readonly host: string;
  readonly app: string;
  readonly process: string;
  readonly id: string;
  readonly data: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly text: string;
}

const printable = String.raw`[\x21-\x7e]`;
const date = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`;
const name = String.raw`(?:(?![="\]])${printable}){1,32}`;
const value = String.raw`(?:[^"\\\]]|\\["\\\]])*`;
const element = String.raw`\[${name}(?: ${name}="${value}")*\]`;

/** The syntax of RFC 5424, section 6, for a message whose text has no byte order mark. */
const message = new RegExp(
  String.raw`^<(\d{1,3})>([1-9]\d{0,2}) (${date}T${time}) (${printable}{1,255}) (${printable}{1,48}) ` +
    String.raw`(${printable}{1,128}) (${printable}{1,32}) ((?:${element})+|-)(?: (.*))?$`,
  'u',
);

export function parseSyslog(line: string): SyslogMessage {
  const found = message.exec(line);
  if (!found) throw new Error(`expected a message of RFC 5424 (got ${line})`);
  const [, priority, version, at = '', host = '', app = '', process = '', id = '', data = '', text = ''] =
    found;
  if (Number(priority) > 191) throw new Error(`the priority must be at most 191 (got ${priority})`);
  const elements = Array.from(data.matchAll(new RegExp(element, 'gu')), ([one]) => one);
  return {
    facility: Math.floor(Number(priority) / 8),
    severity: Number(priority) % 8,
    version: Number(version),
    time: at,
    host,
    app,
    process,
    id,
    data: Object.fromEntries(elements.map((one) => [one.slice(1).split(/[ \]]/)[0], parametersIn(one)])),
    text,
  };
}

function parametersIn(text: string): Record<string, string> {
  const parameters = text.matchAll(new RegExp(String.raw` (${name})="(${value})"`, 'gu'));
  return Object.fromEntries(
    Array.from(parameters, ([, key = '', escaped = '']) => [key, escaped.replaceAll(/\\(["\\\]])/g, '$1')]),
  );
}
