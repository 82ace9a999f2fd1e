import type { IndexColumnsOf, Payload, ValuesOf } from './definition-types.ts';

type PlainScalars<E, P extends Payload> = {
  [
    Key in keyof P['scalars'] as Key extends IndexColumnsOf<E, P['name']> ? never : Key
  ]: Key extends keyof ValuesOf<E, P['name']>
    ? ValuesOf<E, P['name']>[Key] | Extract<P['scalars'][Key], null>
    : P['scalars'][Key];
};

type IsChosen<Choice> = Choice extends false | null | undefined ? false : true;

export type PlainRow<E, P, Given> = P extends Payload
  ? Given extends { select: infer Select extends object }
    ? Chosen<E, P, Select>
    : (Given extends { omit: infer Omit extends object }
        ? {
            [
              Key in keyof PlainScalars<E, P> as Key extends keyof Omit
                ? Omit[Key] extends true
                  ? never
                  : Key
                : Key
            ]: PlainScalars<E, P>[Key];
          }
        : PlainScalars<E, P>) &
        (Given extends { include: infer Include extends object } ? Chosen<E, P, Include> : unknown)
  : never;

type Chosen<E, P extends Payload, Choice> = {
  [Key in keyof Choice as IsChosen<Choice[Key]> extends true ? Key : never]: Key extends keyof P['objects']
    ? Related<E, P['objects'][Key], Choice[Key]>
    : Key extends keyof PlainScalars<E, P>
      ? PlainScalars<E, P>[Key]
      : Key extends '_count'
        ? Choice[Key] extends { select: infer Counted }
          ? { [Name in keyof Counted]: number }
          : { [Name in keyof P['objects']]: number }
        : never;
};

type Related<E, Relation, Given> = Relation extends readonly (infer Row)[]
  ? PlainRow<E, Row, Given>[]
  : Relation extends null
    ? null
    : PlainRow<E, Relation, Given>;
