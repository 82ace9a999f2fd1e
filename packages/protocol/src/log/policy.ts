// Trust policies (https://c2sp.org/tlog-policy): which logs count, and how many of which witnesses are enough.
import { toBase64 } from '../base64.ts';
import { InputError } from '../errors.ts';
import { ed25519, type NoteKey } from '../signed-note.ts';
import { parseNoteKey, typeOf, type VerifiedSignature } from './tlog.ts';

/** Which logs and witnesses are trusted. */
export interface LogPolicy {
  readonly logs: readonly PolicyLog[];
  readonly witnesses: readonly PolicyWitness[];
  readonly groups: ReadonlyMap<string, PolicyGroup>;
  /** The name of a witness or a group, or `none`. */
  readonly quorum: string;
}

interface PolicyLog {
  readonly key: NoteKey;
  readonly url: string | undefined;
}

/** A witness. `name` is its name in the policy. */
export interface PolicyWitness extends PolicyLog {
  readonly name: string;
}

/** A group of witnesses and groups, of which at least `threshold` must have signed. */
interface PolicyGroup {
  readonly threshold: number;
  readonly members: readonly string[];
}

const longestPolicy = 1_000_000;
const mostInPolicy = 100; // of logs, witnesses and groups each

/** Parses a trust policy (https://c2sp.org/tlog-policy). Throws InputError that names the line and the cause. */
export function parsePolicy(text: string): LogPolicy {
  if (text.length > longestPolicy) {
    throw new InputError(`a policy must have at most ${longestPolicy} characters`);
  }
  const reader = new PolicyReader();
  text.split('\n').forEach((line, at) => {
    try {
      reader.read(line);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      throw new InputError(`line ${at + 1} of the policy is not valid: ${error.message}`);
    }
  });
  const { logs, witnesses, groups, quorum } = reader;
  if (quorum === undefined) throw new InputError('the policy must have a line `quorum <name>`');
  return { logs, witnesses, groups, quorum };
}

class PolicyReader {
  readonly logs: PolicyLog[] = [];
  readonly witnesses: PolicyWitness[] = [];
  readonly groups = new Map<string, PolicyGroup>();
  quorum: string | undefined;
  readonly #names = new Set<string>(['none']);
  readonly #members = new Set<string>();
  readonly #keys = new Set<string>();

  read(line: string): void {
    // oxlint-disable-next-line no-control-regex -- the format has no other control character
    if (/[\0-\x08\x0a-\x1f\x7f]/.test(line)) {
      throw new InputError('it must have no control character but tabs (lines end with LF alone)');
    }
    const [verb = '', ...items] = line.split(/[ \t]+/).filter((item) => item !== '');
    if (verb === '' || verb.startsWith('#')) return;
    if (verb === 'log') this.#log(items);
    else if (verb === 'witness') this.#witness(items);
    else if (verb === 'group') this.#group(items);
    else if (verb === 'quorum') this.#quorum(items);
    else throw new InputError('it must begin with `log`, `witness`, `group` or `quorum`');
  }

  #log([text = '', url, ...more]: string[]): void {
    if (more.length > 0 || !text) throw new InputError('it must be `log <verifier key> [<url>]`');
    this.logs.push({ key: this.#key('log', text, (type) => typeOf(type) !== undefined), url });
    limit(this.logs.length, 'logs');
  }

  #witness([name = '', text = '', url, ...more]: string[]): void {
    if (more.length > 0 || !text) throw new InputError('it must be `witness <name> <verifier key> [<url>]`');
    this.#define(name);
    this.witnesses.push({ name, key: this.#key('witness', text, (type) => type !== ed25519), url });
    limit(this.witnesses.length, 'witnesses');
  }

  #group([name = '', count = '', ...members]: string[]): void {
    const threshold = count === 'all' ? members.length : count === 'any' ? 1 : Number(count);
    if (members.length === 0 || !/^(all|any|[1-9]\d*)$/.test(count)) {
      throw new InputError('it must be `group <name> all|any|<number> <name>…`');
    }
    if (threshold > members.length) {
      throw new InputError(`the group has ${members.length} members, so it cannot demand ${count}`);
    }
    for (const member of members) {
      if (member === 'none') throw new InputError('`none` cannot be a member of a group');
      this.#require(member);
      if (this.#members.has(member)) throw new InputError(`${member} is already a member of a group`);
      this.#members.add(member);
    }
    this.#define(name);
    this.groups.set(name, { threshold, members });
    limit(this.groups.size, 'groups');
  }

  #quorum([name = '', ...more]: string[]): void {
    if (more.length > 0 || !name) throw new InputError('it must be `quorum <name>`');
    if (this.quorum !== undefined) throw new InputError('the policy already has a quorum');
    this.#require(name);
    this.quorum = name;
  }

  #define(name: string): void {
    if (this.#names.has(name)) throw new InputError(`the name ${name} is already taken`);
    this.#names.add(name);
  }

  #require(name: string): void {
    if (!this.#names.has(name)) throw new InputError(`no line before it defines ${name}`);
  }

  /** Parses a key, which must be new: a log or a witness that stands there twice would count twice. */
  #key(kind: string, text: string, accepts: (type: number) => boolean): NoteKey {
    const key = parseNoteKey(text);
    if (!accepts(key.type)) throw new InputError(`a ${kind} cannot have a key of type ${key.type}`);
    for (const same of [`${kind} ${toBase64(key.publicKey)}`, `${key.name}+${key.keyId}`]) {
      if (this.#keys.has(same)) throw new InputError(`the key of ${key.name} stands on an earlier line`);
      this.#keys.add(same);
    }
    return key;
  }
}

function limit(count: number, what: string): void {
  if (count > mostInPolicy) throw new InputError(`a policy must have at most ${mostInPolicy} ${what}`);
}

/** Whether these witnesses, by their names in the policy, are enough. */
export function meetsQuorum({ groups, quorum }: LogPolicy, signed: ReadonlySet<string>): boolean {
  const hasSigned = (name: string): boolean => {
    const group = groups.get(name);
    return group ? group.members.filter(hasSigned).length >= group.threshold : signed.has(name);
  };
  return quorum === 'none' || hasSigned(quorum);
}

/**
 * Returns the smallest time, in seconds since 1970, at which cosignatures with a time up to it meet the quorum.
 * Undefined if all of them do not. 0 for `quorum none`.
 */
export function quorumTime(policy: LogPolicy, signatures: readonly VerifiedSignature[]): number | undefined {
  const signed = new Set<string>();
  if (meetsQuorum(policy, signed)) return 0;
  for (const { key, time } of [...signatures].sort((a, b) => a.time - b.time)) {
    const witness = policy.witnesses.find((each) => each.key === key);
    if (!witness || time === 0) continue;
    signed.add(witness.name);
    if (meetsQuorum(policy, signed)) return time;
  }
  return undefined;
}
