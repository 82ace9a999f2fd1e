// What `adopt` says: what a column holds, the lines for the app, and what becomes of the old keys. No text has a value of a row.
import type { OwnReader } from './own-reader.ts';
import type { Names } from './place.ts';
import type { Known, OldKey } from './recognise.ts';
import { type ColumnSurvey, unopened } from './survey.ts';

/** The names of a column: in the code of the app, in the database, and the one to which its ciphertexts are bound. */
export interface Column {
  readonly inApp: string;
  readonly column: string;
  readonly field: string;
}

export interface Adopted extends Column {
  readonly holds: ColumnSurvey;
}

/** The formats of columns. One that a wrong key could open comes last. */
export function formatsOf(adopted: readonly Adopted[]): Known[] {
  const forms = adopted.flatMap(({ holds }) => [...holds.keys()]).filter((form) => typeof form === 'object');
  return forms.toSorted((a, b) => Number(b.result.isAuthenticated) - Number(a.result.isAuthenticated));
}

/** A line for each form of values in a column. */
export function surveyOf({ column, holds }: Adopted): string {
  const lines = Array.from(holds, ([form, { count, ids }]) => {
    const rows = ` (rows ${ids.join(', ')}${count > ids.length ? ' …' : ''})`;
    const what = typeof form === 'object' ? `${form.result.name}, under ${form.variable}` : form;
    const isDoubtful = typeof form === 'object' && !form.result.isAuthenticated;
    const doubt = isDoubtful ? ': not authenticated, so somebody could have altered them' : '';
    return `${count.toLocaleString('en').padStart(9)}  ${what}${doubt}${holds.size > 1 ? rows : ''}\n`;
  });
  return `${column}\n${lines.join('')}`;
}

/** Why a format is not believed that opens each value, but perhaps without its first 16 bytes, and what proves it. */
export function ivUnproven(
  table: string,
  { column }: Column,
  { result, variable }: Known,
  ivColumns: readonly string[],
): string {
  const place = `${table}.${column}`;
  const iv = ivColumns.map((name) => `\`${name}\``).join(' or ');
  const elsewhere =
    iv === '' ? 'in a variable or in another column' : `in ${iv}, which has 16 bytes in each row`;
  const needed = ivColumns[0] ?? 'iv';
  return (
    `${variable} opens ${place} as ${result.name}, if each value begins with its iv. If your app has its iv ${elsewhere}, ` +
    'the values open too, but without their first 16 bytes, which would be lost. Look where your app takes ' +
    'the iv from when it decrypts. If that is not the value itself, pass the function of your app with `--reader` (and ' +
    `\`--columns ${needed}\`, if it is in that column). If it is, prove it by one value that you know: pass \`--iv-first ` +
    '--expect <id>` with the id of its row, and the value on standard input'
  );
}

/** The way to the new form, in two stages if the app can still write the old form by one function. */
export function stagesOf(names: Names, adopted: readonly Adopted[], own?: OwnReader): string {
  const lines = readingBoth(names, adopted, own);
  if (names.needed?.length) {
    return `\nThe old form has parts in other columns: stop your app, and deploy these lines, which write the new one:\n\n${lines}\n`;
  }
  return (
    `\nStage 1: deploy these lines, in which \`encrypt\` is your function of today. They still write the old form:\n\n${lines}\n` +
    'Stage 2: when no server runs the version before any more, deploy them without `{ write: encrypt }`. The app then\n' +
    'writes the new form. Go on here when no server runs stage 1 any more.\n\n'
  );
}

/** The lines with which the app reads both forms. */
function readingBoth(names: Names, adopted: readonly Adopted[], own?: OwnReader): string {
  const hasPlaintext = adopted.some(({ holds }) => holds.has(unopened.plain));
  const codes = formatsOf(adopted).map(({ code }) => code);
  const readers = [...new Set(codes), ...(hasPlaintext ? ['asIs'] : [])];
  const previous = readers.length > 1 ? `firstOf(\n    ${readers.join(',\n    ')},\n  )` : readers.join('');
  const imported = [...new Set(previous.match(/\b\w+(?=\()|\basIs\b/g))].toSorted().join(', ');
  const columns = names.needed?.map(({ field }) => `'${field}'`).join(', ');
  const options = columns ? `, { columns: [${columns}] }` : ', { write: encrypt }';
  const reading = hasPlaintext ? '(stored, row) => read(stored, row) ?? stored' : 'read';
  return (
    `  import { defineFields, field, plaintext } from '@eaas/sdk/fields';\n` +
    (own
      ? `  import read from '${own.path}'; // returns text, and null for what it does not know\n` +
        `  const previous = plaintext(${reading}${options});\n`
      : `  import { ${imported} } from '@eaas/migrate/formats';\n  const previous = plaintext(${previous}${options});\n`) +
    definition(names, adopted, '{ previous }')
  );
}

/** The lines that define the columns. */
export function definition({ style, name }: Names, adopted: readonly Adopted[], options = ''): string {
  const isDrizzle = style === 'drizzle';
  const start = isDrizzle ? `table = encryptedTable('${name}', {` : `fields = defineFields({ ${name}: {`;
  const end = {
    drizzle: '  …\n  });\n  const db = withEncryption(plain, eaas);',
    prisma: '} });\n  const db = withEncryption(prisma, eaas, fields);',
    sql: '} });\n  // Values are bound to ids: if the database makes one, get it before the insert.\n  const records = fields.for(eaas);',
  }[style];
  const fields = adopted.map(({ inApp, column }) => {
    const value = `field.text(${options})`;
    const named = inApp === column ? '' : `'${column}', `;
    return `    ${inApp}: ${isDrizzle ? `encrypted(${named}${value})` : value},\n`;
  });
  return `  const ${start}\n${fields.join('')}  ${end}\n`;
}

/** What becomes of the old keys. */
export function advice(oldKeys: readonly OldKey[], now: Date): string {
  const day = now.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  const variables = oldKeys.map(({ variable }) => variable).join(' and ');
  return (
    `\nKeep ${variables} as long as you keep backups of before ${day}, which nothing else opens, and for ever if\n` +
    `\`secret\` of \`createLocalService\` is made of it. If it leaked, whoever has a backup can read it: also revoke the tokens.\n`
  );
}
