// Forms as data: one object per field says how it begins, what is stored of it, what is wrong, and what a change means.
// `record-dialog.tsx` shows a form; tests read one without a page.
import { type Signal, signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { sentence } from './texts.ts';

/** What a change takes from those who use a record, and what it gives them. */
interface Says {
  readonly losses?: readonly string[];
  readonly gains?: readonly string[];
}

export interface FieldProps<Shown> {
  readonly value: Signal<Shown>;
  readonly error: string | undefined;
  readonly form: Form;
}

export interface Field<Value, Shown, Whole> {
  /** What the input shows first: of the record, or of a new one. */
  readonly start: (record: Whole | undefined) => Shown;
  /** What is stored. Undefined is not sent. */
  readonly read: (shown: Shown, form: Form) => Value | undefined;
  /** What is wrong before the service is asked. */
  readonly fault?: (shown: Shown, form: Form) => string | undefined;
  readonly says?: (before: Value, after: Value) => Says;
  /** A field without one is read from what another field shows. */
  readonly View?: ComponentType<FieldProps<Shown>>;
  /** Whether it never changes after the record was made. */
  readonly isFixed?: true;
}

// The type of what one field shows is known to this field alone.
// oxlint-disable-next-line typescript/no-explicit-any
type AnyShown = any;

/** The fields of a form, by their names in the API, in the order of the form. */
export type Fields<Body, Whole> = {
  readonly [Name in keyof Body]?: Field<Exclude<Body[Name], undefined>, AnyShown, Whole>;
};

export type Faults = Readonly<Record<string, string | undefined>>;

/** A field of an open form, with what it shows. */
interface Open {
  readonly name: string;
  readonly field: Field<unknown, AnyShown, AnyShown>;
  readonly value: Signal;
}

export interface Form<Body = AnyShown> {
  /** The fields that the user fills in. */
  readonly asked: readonly Open[];
  readonly shown: Readonly<Record<string, Signal>>;
  readonly read: (name: string) => unknown;
  /** What is sent: of a new record every field, and else the fields that changed. */
  readonly body: () => Body;
  readonly faults: () => Faults;
  readonly says: () => Required<Says>;
}

export function openForm<Body, Whole>(fields: Fields<Body, Whole>, record?: Whole): Form<Body> {
  const given = Object.entries(fields as Readonly<Record<string, Open['field']>>);
  const all = given.map(([name, field]) => ({ name, field, value: signal<unknown>(field.start(record)) }));
  const asked = all.filter(({ field }) => record === undefined || !field.isFixed);
  const form: Form<Body> = {
    asked,
    shown: Object.fromEntries(all.map(({ name, value }) => [name, value])),
    read: (name) => {
      const { field, value } = all.find((each) => each.name === name) ?? {};
      return field?.read(value?.value, form);
    },
    body: () => {
      const sent = changed().filter(({ now }) => now !== undefined);
      return Object.fromEntries(sent.map(({ name, now }) => [name, now])) as Body;
    },
    faults: () => {
      const found = asked.map(({ name, field, value }) => [name, field.fault?.(value.value, form)] as const);
      return Object.fromEntries(found.filter(([, fault]) => fault !== undefined));
    },
    says: () => {
      const edits = record ? changed() : [];
      const said = edits.map(({ name, field, now }) => field.says?.(before.get(name), now) ?? {});
      const once = (texts: readonly string[]) => [...new Set(texts)];
      return {
        losses: once(said.flatMap(({ losses = [] }) => losses)),
        gains: once(said.flatMap(({ gains = [] }) => gains)),
      };
    },
  };
  const before = new Map(asked.map(({ name }) => [name, form.read(name)]));
  const changed = () =>
    asked
      .map(({ name, field }) => ({ name, field, now: form.read(name) }))
      .filter(({ name, now }) => record === undefined || !isSame(now, before.get(name)));
  return form;
}

/** The order of a list says nothing. */
function isSame(one: unknown, other: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(Array.isArray(value) ? value.map(String).toSorted() : value);
  return text(one) === text(other);
}

/** The field that an error of the service is about. Its sentences name the field in backticks. */
export function fieldIn(detail: string, { asked }: Pick<Form, 'asked'>): string | undefined {
  const [, named] = /`(\w+)/.exec(detail) ?? [];
  return asked.find(({ name }) => name === named)?.name;
}

/** An error of the service in the words of the form: lists are typed line by line. */
export const withoutNames = (detail: string): string =>
  sentence(detail.replace(/`\w+\[(\d+)\]`/g, (_, place: string) => `line ${Number(place) + 1}`));

/** A member of an object in a signal, as a signal of its own for an input. */
export function memberOf<Whole extends object, Name extends keyof Whole>(whole: Signal<Whole>, name: Name) {
  return {
    get value(): Whole[Name] {
      return whole.value[name];
    },
    set value(next) {
      whole.value = { ...whole.value, [name]: next };
    },
  };
}
