// The tables of which each release keeps rows: every type, index and part, and what they hold.
import { defineFields, field, part, plaintext, unencrypted, withFields } from '@eaas/sdk/fields';

/** How a column of these tables is made, for each package that defines them. */
export const columns = {
  name: field.text({ previous: plaintext() }).searchable(),
  email: field.text().searchable({ normalize: ['trim', 'lowercase'] }),
  note: field.text().searchableBy({
    all: part.wholeText(),
    first: part.firstCharacters(2),
    last: part.lastCharacters(4),
    start: part.prefixes(3, 5),
    words: part.words({ bits: 64 }),
    and_paid: withFields(['paid']),
  }),
  born: field.date().searchable().searchableBy({
    year: part.years(),
    month: part.months(),
    day: part.days(),
    range: part.dateRange(),
  }),
  pay: field
    .number()
    .searchable()
    .searchableBy({ step: part.steps(10) }),
  account: field.bigint().searchable(),
  paid: field.boolean().searchable(),
  scan: field.bytes(),
  data: field.json<unknown>(),
  secret: field.text().concealed(),
  ward: field.text({ context: 'field' }),
};

export const fields = defineFields({
  people: { lowEntropy: 'accepted', ...unencrypted('id'), ...columns },
  letters: { subject: 'person', ...unencrypted('id', 'person'), text: columns.ward },
});

const ids = ['0f8fad5b-d9cb-469f-a165-70867728950e', '7c9e6679-7425-40de-944b-e07fc1f90ae7'] as const;

/** The last person has nothing. */
export const people = [
  {
    id: ids[0],
    name: 'Zoë Ångström',
    email: ' Zoe@Example.COM ',
    note: 'Straße 9, ﬁsh-and-chips, l’été',
    born: new Date('1815-12-10T00:00:00Z'),
    pay: 81.25,
    account: 90_071_992_547_409_937n,
    paid: true,
    scan: new Uint8Array([80, 76, 65, 73, 78]),
    data: { tags: ['Countess'] },
    secret: 'hidden',
    ward: 'North',
  },
  { id: ids[1], name: null },
] as const;

export const letters = [{ id: ids[1], person: 'p-1', text: 'Dear Zoë' }] as const;

/** Searches that find the first person only. By its other columns, the fingerprints are compared. */
export const searches = [
  { name: 'Zoë Ångström' },
  { email: 'zoe@example.com' },
  { note: { all: 'straße 9, ﬁsh-and-chips, l’ete' } },
  { note: { first: 'st' } },
  { note: { last: 'l’été'.slice(-4) } },
  { note: { start: 'stra' } },
  { note: { words: 'CHIPS été' } },
  { note: { and_paid: { note: 'Straße 9, ﬁsh-and-chips, l’été', paid: true } } },
  { born: { year: new Date('1815-01-01T00:00:00Z') } },
  { born: { month: new Date('1815-12-01T00:00:00Z') } },
  { born: { day: new Date('1815-12-10T00:00:00Z') } },
  { born: { range: { to: new Date('1815-12-31T00:00:00Z') } } },
  { pay: { step: 85 } },
] as const;
