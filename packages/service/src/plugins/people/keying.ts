// The part of people in calls about data keys: whom a call names, whether it may, and the secret that takes part in the wrap.
// Operations on data keys ask it, once for each request.
import {
  fromHex,
  isSubjectWrapped,
  randomBytes,
  subjectForm,
  subjectParts,
  subjectPlace,
  using,
} from '@eaas/protocol/internal';
import { exportSecret, hmac, paeView, sealer, secretOf } from '#platform';
import type { Secret } from '../../crypto/secret.ts';
import { prepared, type View } from '../../ledger/decision.ts';
import { put, refTo } from '../../ledger/table.ts';
import { unlessRefused } from '../../operate.ts';
import {
  type KeyAct,
  type KeyCall,
  type Keying,
  type KeyVerb,
  type Participation,
  type Sealing,
  valueIn,
} from '../../plugin.ts';
import { keyDraft, refusalOutcome } from '../../rules/draft.ts';
import { badRequest, Refusal } from '../../rules/refusal.ts';
import type { Fair } from '../../service.ts';
import { type Holder, personId, shortId, type SignIn, userOf, whoActs } from '../../rules/authorize.ts';
import { naming, notErased, subjects } from './subjects.ts';

/** What a call says about people: whose data a value is, and on whose behalf the caller acts. */
interface Call extends KeyCall {
  readonly subject?: string | undefined;
  readonly user?: string | undefined;
}

/** What seals and opens for a subject, and what comes with its first wrap. */
type Secrecy = Required<Pick<Participation, 'seals' | 'creates'>>;

/** The part of people in requests that name nobody. */
const ofNobody = /* @__PURE__ */ keyingFor([]);

export const keyingOf = (calls: readonly Call[], { fair }: { readonly fair: Fair }, verb: KeyVerb): Keying =>
  calls.some(({ subject, user }) => (subject ?? user) !== undefined)
    ? keyingFor(calls, verb === 'unwrap' || verb === 'decrypt' ? undefined : fair)
    : ofNobody;

/**
 * Makes the part of people in a request. What it found out stays right when the request is judged again. `fair`: absent in a
 * request that wraps nothing, so that no subject is created.
 */
function keyingFor(calls: readonly Call[], fair?: Fair): Keying {
  const ids = new Map<string, string>();
  const known = new Map<Secret, Secrecy>();
  const newcomers = new Map<string, Secrecy>();
  let ofSubjects: ReturnType<typeof sealer> | undefined;

  function idOf(view: Pick<View, 'secrets'>, kind: 'subjects' | 'users', name: string): string {
    const id = ids.get(`${kind} ${name}`) ?? personId(view, kind, name);
    ids.set(`${kind} ${name}`, id);
    return id;
  }

  /** Makes the secret of a subject that nobody wrapped for yet. It counts only if its row is committed. */
  function makeNewcomer({ secrets, tenant: { tenant_id } }: View, id: string): void {
    const place = subjectPlace(tenant_id, id);
    ofSubjects ??= sealer(secrets.sealing, place);
    const sealing = ofSubjects;
    const { sealed, seals } = using(randomBytes(32), (secret) => ({
      sealed: new Uint8Array(sealing.seal(secret, place.context)),
      seals: sealingOf(secretOf(secret)),
    }));
    const row = { tenant_id, subject_id: fromHex(id), sealed, ...notErased };
    const creates: Secrecy['creates'] = {
      logged: { subject_created: true },
      writes: ({ createdAt: created_at }, created_id) => [put(subjects, { ...row, created_id, created_at })],
    };
    newcomers.set(id, { seals, creates });
  }

  function secrecyOf(view: View, verb: KeyAct['verb'], id: string): Secrecy | 'erased' {
    const row = view.find(subjects, id);
    if (!row && verb !== 'unwrap' && verb !== 'decrypt') return prepared(newcomers.get(id));
    if (!row) return { seals: { form: subjectForm, derive: null }, creates: undefined };
    if (!row.sealed) return 'erased';
    const secret = view.open(subjectPlace(row.tenant_id, id), row.sealed);
    const found = known.get(secret) ?? { seals: sealingOf(secret), creates: undefined };
    known.set(secret, found);
    return found;
  }

  /** What the entry of a call says about the user whom the caller names. */
  function loggedUser(view: View, { user }: Call): object | undefined {
    if (user === undefined) return undefined;
    return { user: shortId(idOf(view, 'users', user)), user_asserted: true };
  }

  /** Whom a user may not open is not looked up: the time would tell who is a subject. */
  function idsFor(view: Pick<View, 'secrets'>, holder: Holder | null): string[] {
    const open = calls.filter((call) => !isForAnother(userOf(holder), call));
    const names = new Set(open.flatMap(({ subject }) => subject ?? []));
    return Array.from(names, (name) => idOf(view, 'subjects', name));
  }

  return {
    check(holder) {
      if (userOf(holder) && calls.some(({ user }) => user !== undefined)) {
        throw badRequest('`user` is the user of the token: leave it out');
      }
    },
    needs: (view, holder) => idsFor(view, holder).map((id) => refTo(subjects, id)),
    ...(fair && {
      async prepare(view, holder) {
        for (const id of idsFor(view, holder)) {
          if (fair.isOver()) await fair.pause(view.tenant.tenant_id);
          const isNew = !newcomers.has(id) && unlessRefused(() => view.find(subjects, id)) === null;
          if (isNew) makeNewcomer(view, id);
        }
      },
    }),
    find(view, act) {
      requireSubject(act);
      const call: Call = act.call;
      const signIn = userOf(act.holder);
      if (isForAnother(signIn, call)) throw refusedFor(act);

      const notTheirs = isOfNobody(signIn, call) ? notOwn() : undefined;
      const user = loggedUser(view, call);
      if (call.subject === undefined) {
        return notTheirs || user ? { refused: notTheirs, logged: { ...user } } : undefined;
      }

      const id = idOf(view, 'subjects', call.subject);
      const logged = { subject: shortId(id), ...user };
      const secrecy = secrecyOf(view, act.verb, id);
      if (secrecy === 'erased') return { refused: notTheirs ?? subjectErased(), logged };
      if (isLost(act.verb, call, secrecy)) return { refused: notTheirs ?? unknownSubject(), logged };
      return { refused: notTheirs, logged, ...secrecy };
    },
    end() {
      ofSubjects?.wipe();
      newcomers.clear();
    },
  };
}

/** Refuses to wrap for nobody under a key that is only for people. */
function requireSubject({ verb, key, call }: KeyAct): void {
  const { subject }: Call = call;
  const isWrap = verb === 'wrap' || verb === 'encrypt';
  if (isWrap && subject === undefined && valueIn(key, naming) === 'required') {
    throw badRequest('`subject` is missing: this key wraps only with a subject, the person whose data it is');
  }
}

/** Whether a user may open only the own data, and a call names somebody else, or nobody. */
const isForAnother = (signIn: SignIn | undefined, { subject }: Call): boolean =>
  signIn !== undefined && !signIn.anySubject && subject !== signIn.subject;

/** Whether a user may open only the own data, and a call presents what was wrapped for nobody. */
const isOfNobody = (signIn: SignIn | undefined, call: Call): boolean =>
  signIn !== undefined && !signIn.anySubject && presentsPlain(call);

/** Whether a call presents a wrapped key in which no person's secret takes part. */
const presentsPlain = ({ wrapped }: Call): boolean => wrapped !== undefined && !isSubjectWrapped(wrapped);

/** Whether a call presents what was wrapped for a person whose secret the service does not have. */
const isLost = (verb: KeyVerb, call: Call, { seals }: Secrecy): boolean =>
  verb === 'unwrap' && !presentsPlain(call) && seals?.derive === null;

/** 403: a user may open only the own data, under the secret of the own subject. */
const notOwn = (entry?: Refusal['entry']): Refusal =>
  new Refusal(
    'permission_missing',
    'Users open only their own data: pass `subject` as the issuer names the user, and only what was encrypted under it.',
    { entry },
  );

/** 403: no secret can open what is wrapped for this person. */
const unknownSubject = (): Refusal =>
  new Refusal(
    'wrapped_key_unauthentic',
    'The service has no secret for this subject: it was never used here, or a backup from before its first value was restored.',
  );

/** 409: the person was erased. */
const subjectErased = (): Refusal =>
  new Refusal(
    'subject_erased',
    'This subject was erased, and nothing under it opens again. A person who returns needs a new subject.',
  );

/**
 * Refuses what a user asks for another. The entry about all such items of a request has neither subject nor context, because
 * users could fill the reports of others.
 */
function refusedFor({ verb, named, holder }: KeyAct): Refusal {
  const version = verb === 'unwrap' ? { key_version: named.key_version } : {};
  const refusal: Refusal = notOwn((items) => {
    const metadata = { ...version, ...whoActs(holder), items, ...refusalOutcome(refusal) };
    return keyDraft(actionOf(verb), named, metadata);
  });
  return refusal;
}

/** What the log calls an attempt. A user who rewraps asks for a wrap. */
function actionOf(verb: KeyVerb) {
  if (verb === 'encrypt' || verb === 'decrypt') return verb;
  return verb === 'unwrap' ? 'key.unwrap' : 'key.wrap';
}

function sealingOf(secret: Secret): Sealing {
  const derived = new Map<Secret, Secret>();
  const derive = (version: Secret): Secret => {
    const mix = (bytes: Uint8Array) =>
      using(paeView(subjectParts(bytes)), (message) => using(hmac(version, message), secretOf));
    const made = derived.get(version) ?? using(exportSecret(secret), mix);
    derived.set(version, made);
    return made;
  };
  return { form: subjectForm, derive };
}
