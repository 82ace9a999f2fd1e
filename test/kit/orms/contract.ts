// What the packages for ORMs do alike, as one set of cases: values that cannot be decrypted, values of erased people, users, ids,
// searches, ranges of dates, and what users typed. An ORM answers each statement with the stored rows, as a database would that has no `where`.
import { inspect } from 'node:util';
import { createTestService } from '@eaas/local';
import { EaasClient, type EaasEvent } from '@eaas/sdk';
import {
  createIndexKey,
  defineFields,
  field,
  FieldError,
  part,
  type Plaintext,
  plaintext,
  reveal,
  unencrypted,
} from '@eaas/sdk/fields';
import { describe, expect, test, vi } from 'vitest';
import { lookAlike } from '../look-alike.ts';

interface Range {
  readonly from?: Date;
  readonly to: Date;
}
export type Row = Readonly<Record<string, unknown>>;
type OnError = 'throw' | 'null' | ((error: FieldError, row: object) => unknown);
type Statement = (onError?: OnError) => PromiseLike<unknown>;

/** What an ORM opens: the rows that are stored, of whom they are, and its own option `onError`. */
export interface Opening {
  readonly eaas: EaasClient;
  readonly index: string;
  readonly rows: readonly Row[];
  readonly subject: 'id' | 'city' | ((row: Row) => unknown) | undefined;
  readonly user?: (() => string | undefined) | undefined;
  /** The length of the fingerprints of names. */
  readonly bits?: number | undefined;
  /** The older form of names. */
  readonly previous?: Plaintext<string> | undefined;
  readonly onError?: OnError | Readonly<Record<string, OnError>> | undefined;
}

/** Whether a statement needs a user, if the client has `requireUser`: one that reads, writes or searches an encrypted column. */
const needsUser = {
  'a read of plain columns': false,
  'an insert of plain columns': false,
  'an update of plain columns': false,
  'a delete': false,
  'a count': false,
  'a read of concealed columns': false,
  'a read': true,
  'a read of their values': true,
  'an insert': true,
  'an update': true,
  'a write that returns the row': true,
  'a search': true,
};

interface Orm {
  /** Statements that return `name`, `city` and `profile` of all patients, or of the last. */
  readonly statements: Readonly<Record<string, Statement>>;
  /** Statements that return `text` and `extra` of comments, which have no encrypted column. */
  readonly others: Readonly<Record<string, Statement>>;
  /** Statements that return the names of patients born in a range. */
  readonly within: Readonly<Record<string, (range: Range) => PromiseLike<unknown>>>;
  /** Statements that cannot drop single rows, with the patients born in a range. */
  readonly inexact: Readonly<Record<string, (range: Range) => PromiseLike<unknown>>>;
  /** Statements of each kind. */
  readonly acting: Readonly<Record<keyof typeof needsUser, readonly (() => PromiseLike<unknown>)[]>>;
  /** Creates a patient. */
  readonly create: (row: Row) => PromiseLike<unknown>;
  /** Reads the column `secret` of patients, as handles or as values. */
  readonly secrets: (isRevealed?: boolean) => PromiseLike<unknown>;
  /** The database of a user. */
  readonly as: (user: string) => object;
  /** Updates the patient Ada. */
  readonly change: (set: Row) => PromiseLike<unknown>;
  /** Finds patients whose name is equal to a value. */
  readonly named: (value: unknown) => PromiseLike<unknown>;
  /** The texts in all statements. */
  readonly sent: () => readonly string[];
}

/** The columns of patients. The others of their rows are `id`, `city` and `profile`. */
export const encryptedFields = ({ bits, previous }: Pick<Opening, 'bits' | 'previous'> = {}) => ({
  name: field.text({ previous }).searchable({ bits }),
  born: field.date().searchableBy({ range: part.dateRange() }),
  secret: field.text().concealed(),
});

export const ada = '00000000-0000-4000-8000-00000000000a';
const bob = '00000000-0000-4000-8000-00000000000b';
const day = (of: string) => new Date(`${of}T00:00Z`);
const rowsOf = (result: unknown) => [result].flat() as Row[];
const namesOf = (result: unknown) => rowsOf(result).map(({ name }) => name);
const gone = { code: 'subject_erased' };

/** Runs the cases with an ORM whose table of patients has this name. */
export async function describeOrm(table: string, open: (opening: Opening) => Orm): Promise<void> {
  const service = createTestService();
  const { key_id: keyId } = await service.createKey(table);
  const events: EaasEvent[] = [];
  const client = (more: object = {}) =>
    new EaasClient({ ...service, keyId, retries: 0, onEvent: (event) => void events.push(event), ...more });
  const writer = client();
  const index = await createIndexKey(writer);
  const seal = async (rows: readonly object[], subject?: 'id') => {
    const given = { lowEntropy: 'accepted', ...unencrypted('id', 'city', 'profile'), ...encryptedFields() };
    const fields = defineFields({ [table]: { ...given, ...(subject && { subject }) } } as never);
    const records = fields.for(writer, { index });
    return records.encryptRows(table as never, rows as never, ({ id }: { id: string }) => id) as Promise<
      readonly Row[]
    >;
  };
  const rowOf = (id: string, name: string, more = {}) => ({
    id,
    name,
    city: 'Turin',
    profile: null,
    ...more,
  });
  const opened = (rows: readonly Row[], more: Partial<Opening> = {}) =>
    open({ eaas: client(), index, rows, subject: undefined, ...more });

  const [first = {}, second = {}] = await seal([rowOf(ada, 'Ada'), rowOf(bob, 'Bob')]);
  const moved = [first, { ...second, name: first['name'] }];
  const [cloe = {}] = await seal([rowOf(ada, 'Cloe', { born: day('1990-01-01') })], 'id');
  await writer.subjects.erase({ subject: ada });
  const born = ['1990-01-01', '2006-11-01', '2006-11-30'];
  const dated = await seal(born.map((of, at) => rowOf(`${ada.slice(0, -1)}${at}`, of, { born: day(of) })));
  const { statements, others, within, inexact } = opened([]);
  const [anyStatement = ''] = Object.keys(statements);

  describe.each(Object.keys(statements))('%s', (statement) => {
    const run = async (orm: Orm, onError?: OnError): Promise<unknown> => orm.statements[statement]?.(onError);

    test('fails for a value that cannot be decrypted, and says where it is and how to read the rest', async () => {
      const message = expect.stringMatching(/^\w+\.name of row .*: .*onError/) as string;
      const place = { table, field: 'name', row: bob };
      const failure = { name: 'FieldError', code: 'decryption', ...place, message };
      await expect(run(opened(moved))).rejects.toMatchObject(failure);
    });

    test('has null for it with `null`, and with a function what it returns', async () => {
      expect(namesOf(await run(opened(moved), 'null')).at(-1)).toBeNull();
      const onError = vi.fn((error: FieldError, row: object) => error.row ?? row);
      const names = namesOf(await run(opened(moved), onError));
      expect(names).toEqual(['Ada', bob].slice(-names.length));
      const [, shown] = onError.mock.calls[0] as unknown as [FieldError, Row];
      expect(shown).toMatchObject({ city: 'Turin', profile: null });
      expect(Object.keys(shown)).not.toContain('name_index');
    });

    test('has null for the values of an erased person, unless it is to throw', async () => {
      const orm = (more: Partial<Opening> = {}) => opened([cloe], { subject: 'id', ...more });
      expect(namesOf(await run(orm()))).toEqual([null]);
      await expect(run(orm(), 'throw')).rejects.toMatchObject(gone);
      await expect(run(orm({ onError: 'throw' }))).rejects.toMatchObject(gone);
    });

    test('asks once for the user, and is refused before it is sent if it must have one', async () => {
      const user = vi.fn(() => 'user-1');
      const eaas = client({ requireUser: true });
      await run(opened([first], { eaas, user }));
      expect(user).toHaveBeenCalledOnce();
      const orm = opened([first], { eaas });
      const refused = { name: 'EncryptedTableError', code: 'user_unknown', table };
      await expect(run(orm)).rejects.toMatchObject(refused);
      expect(orm.sent()).toEqual([]);
    });

    test.each([
      ['a look-alike', lookAlike],
      ['a ciphertext of the app', String(first['name'])],
    ])('reads %s that a user typed as it is, and reports its column', async (_, typed) => {
      const own = { city: typed, profile: { theme: 'dark', links: [{ title: typed }] } };
      events.length = 0;
      expect(rowsOf(await run(opened([{ ...second, ...own }])))).toMatchObject([{ name: 'Bob', ...own }]);
      const found = events.flatMap((event) => (event.type === 'unexpected_ciphertext' ? [event] : []));
      const places = found.map((event) => `${event.table}.${event.column}`);
      expect(places.toSorted()).toEqual([`${table}.city`, `${table}.profile`]);
      expect(JSON.stringify(events)).not.toContain('eaasA');
    });
  });

  test.each(Object.keys(others))(
    'a table without encrypted columns is read as it is: %s',
    async (statement) => {
      for (const typed of [lookAlike, String(first['name'])]) {
        const comment = { text: typed, extra: [{ note: typed }] };
        events.length = 0;
        const orm = opened([{ ...second, ...comment }]);
        expect(rowsOf(await orm.others[statement]?.())).toMatchObject([comment]);
        expect(events.filter(({ type }) => type === 'unexpected_ciphertext')).toEqual([]);
      }
    },
  );

  test.each(Object.entries(needsUser) as [keyof typeof needsUser, boolean][])(
    'without a user, if the client requires one, %s is refused: %s',
    async (kind, isRefused) => {
      const own = { eaas: client({ requireUser: true }) };
      for (const at of opened([], own).acting[kind].keys()) {
        const { acting, sent } = opened([first], own);
        const run = (async () => acting[kind][at]?.())();
        const outcome = await run.then(
          () => 'sent',
          (error: { code?: string }) => error.code,
        );
        expect([outcome, isRefused && sent().length > 0]).toEqual([
          isRefused ? 'user_unknown' : 'sent',
          false,
        ]);
      }
    },
  );

  test('a concealed column is read without the service, and revealed for whoever asks, in one request', async () => {
    const rows = await seal([rowOf(ada, 'Ada', { secret: 's1' }), rowOf(bob, 'Bob', { secret: 's2' })]);
    const orm = opened(rows, { eaas: client({ requireUser: true }) });
    const before = service.requests.length;
    const found = rowsOf(await orm.secrets());
    expect(JSON.stringify(found)).toBe('[{"secret":"[concealed]"},{"secret":"[concealed]"}]');
    const refused = { code: 'user_unknown', table, column: 'secret' };
    await expect(reveal(found, ['secret'])).rejects.toMatchObject(refused);
    expect(service.requests.length).toBe(before);
    const shown = [{ secret: 's1' }, { secret: 's2' }];
    expect(await reveal(found, ['secret'], { by: orm.as('user-1') as never })).toEqual(shown);
    expect(service.requests.length).toBe(before + 1);
    expect(await opened(rows).secrets(true)).toEqual(shown);
  });

  test('a concealed value that cannot be decrypted fails when it is revealed, and `onError` decides then', async () => {
    const [{ secret } = {}] = await seal([rowOf(bob, 'Bob', { secret: 's' })]);
    const read = async (onError?: OnError) =>
      reveal(rowsOf(await opened([{ ...first, secret }], { onError }).secrets()), ['secret']);
    await expect(read()).rejects.toMatchObject({ code: 'decryption', table, field: 'secret', row: ada });
    expect(await read((error) => error.row)).toEqual([{ secret: ada }]);
  });

  test('the function `onError` gets no concealed value that is not encrypted', async () => {
    const canary = 'canary-7319';
    // As it is at this moment: later, the row has what `onError` returns.
    const onError = (error: FieldError, row: object) => `${error.code} ${inspect(row, { depth: null })}`;
    const rows = [{ ...first, secret: canary, name: null }];
    const [shown] = rowsOf(await opened(rows, { onError }).secrets());
    expect(shown?.['secret']).toMatch(/^format .*secret: Concealed/s);
    expect(shown?.['secret']).not.toContain(canary);
  });

  test.each<[string, Opening['onError'], unknown]>([
    ['for all tables', 'null', null],
    ['by table', { [table]: () => 'unreadable' }, 'unreadable'],
  ])('the option `onError` decides %s, and that of a statement before it', async (_, onError, expected) => {
    const run = opened(moved, { onError }).statements[anyStatement];
    expect(namesOf(await run?.())).toEqual(['Ada', expected]);
    await expect((async () => run?.('throw'))()).rejects.toBeInstanceOf(FieldError);
  });

  test.each(Object.keys(within))(
    'the rows outside a range of dates are dropped after decryption: %s',
    async (statement) => {
      const orm = opened(dated);
      expect(namesOf(await orm.within[statement]?.({ to: day('2006-11-24') }))).toEqual(born.slice(0, 2));
      const sent = orm.sent().filter((text) => /^[\da-f]{64}$/.test(text));
      expect(sent).toHaveLength(1 + 106 + 11);
      // Their order says nothing about the dates.
      expect(sent).toEqual(sent.toSorted());
      const days = { from: day('2006-11-02'), to: day('2006-11-29') };
      expect(namesOf(await opened(dated).within[statement]?.(days))).toEqual([]);
    },
  );

  test.each(Object.keys(inexact))(
    'a range is refused before a statement, unless of whole months: %s',
    async (statement) => {
      const run = async (orm: Orm, range: Range): Promise<unknown> => orm.inexact[statement]?.(range);
      const orm = opened([]);
      await expect(run(orm, { to: day('2006-11-24') })).rejects.toMatchObject({
        name: 'EncryptedTableError',
        code: 'not_supported',
        table,
        column: 'born',
        message: expect.stringContaining('inside a month also finds other days') as string,
        remedy: expect.stringContaining('whole months (UTC)') as string,
      });
      expect(orm.sent()).toEqual([]);
      const [months, to] = [opened([first]), new Date(day('2027-01-01').getTime() - 1)];
      await run(months, { from: day('2026-10-01'), to });
      expect(months.sent()).not.toEqual([]);
    },
  );

  test.each([
    ['in braces', `{${ada.toUpperCase()}}`],
    ['without hyphens', ada.replaceAll('-', '')],
  ])('a ciphertext is bound to a UUID as the database returns it, also if it comes %s', async (_, id) => {
    const orm = opened([]);
    await orm.create({ id, name: 'Ada' });
    const name = orm.sent().find((text) => text.startsWith('eaasA'));
    expect(rowsOf(await opened([{ ...first, name }]).statements[anyStatement]?.())).toMatchObject([
      { name: 'Ada' },
    ]);
  });

  test.each([
    ['is missing', {}],
    ['is null', { city: null }],
  ])('a value of a person who %s is refused, before a statement', async (_, more) => {
    const orm = opened([], { subject: 'city' });
    const refused = { name: 'EncryptedTableError', code: 'subject_unknown', table, column: 'city' };
    await expect((async () => orm.create({ id: ada, name: 'Ada', ...more }))()).rejects.toMatchObject(
      refused,
    );
    expect(orm.sent()).toEqual([]);
  });

  test('a function of a row names its person, and an update leaves alone what the function reads', async () => {
    const subject = ({ city }: Row) => `somebody in ${String(city)}`;
    const orm = opened([], { subject });
    await orm.create({ id: ada, name: 'Ada', city: 'Turin' });
    const name = orm.sent().find((text) => text.startsWith('eaasA'));
    for (const [city, expected] of Object.entries({ Turin: 'Ada', Bern: null })) {
      const { statements: own, change } = opened([{ ...first, city, name }], { subject, onError: 'null' });
      expect(namesOf(await own[anyStatement]?.())).toEqual([expected]);
      const moved = (async () => change({ city: 'Rome' }))();
      await expect(moved).rejects.toMatchObject({ code: 'subject_unknown', table, column: 'city' });
    }
  });

  test.each<[string, Row, string, Opening['subject']]>([
    ['id', { id: bob }, 'row_unknown', undefined],
    ['person', { city: 'Bern' }, 'subject_unknown', 'city'],
  ])('an update that gives a row another %s is refused', async (_, set, code, subject) => {
    const orm = opened([{ ...first, city: 'Turin' }], { subject });
    const refused = { name: 'EncryptedTableError', code, table };
    await expect((async () => orm.change(set))()).rejects.toMatchObject(refused);
    expect(orm.sent()).not.toContain(Object.values(set)[0]);
  });

  test.each<[string, unknown, string, Partial<Opening>]>([
    ['in an index whose fingerprints are short', 'Ada', 'not_searchable', { bits: 64 }],
    ['for an object', { last4: '6789' }, 'not_supported', {}],
  ])('a search %s is refused, before a statement', async (_, value, code, more) => {
    const orm = opened([], more);
    const refused = { name: 'EncryptedTableError', code, table, column: 'name' };
    await expect((async () => orm.named(value))()).rejects.toMatchObject(refused);
    expect(orm.sent()).toEqual([]);
    await opened([]).named('Ada');
  });

  test('beside the version before, fingerprints count for texts that are as long as a ciphertext', async () => {
    const orm = opened([], { previous: plaintext(String, { write: (value) => value }) });
    await orm.named('Ada');
    const kindOf = (text: string) => (/^[\da-f]{64}$/.test(text) ? 'fingerprint' : text.replace(/%$/, ''));
    const sent = orm.sent().map(kindOf);
    // 220 characters, as the shortest ciphertext has. Prisma adds `%` by itself.
    const ciphertext = `eaasA${'_'.repeat(215)}`;
    expect(sent).toEqual(expect.arrayContaining(['Ada', 'fingerprint', ciphertext]));
    expect(sent).not.toContain('eaasA');
  });

  test.each<[string, object]>([
    ['no option', { indx: 'service' }],
    ['names no known table', { onError: { patiens: 'null' } }],
    ['names no known table', { keyIds: { patiens: keyId } }],
    ['has an entry for', { keyIds: { [`${table}.nmae`]: keyId } }],
    ["must be 'throw', 'null' or a function", { onError: { [table]: 'skip' } }],
    ['must be a function', { user: 'Ada' }],
  ])('a mistake in the options is refused at once: it %s', (message, options) => {
    expect(() => opened([], options as Partial<Opening>)).toThrow(message);
  });
}
