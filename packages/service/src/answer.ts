// The way of a call, and the order of its checks: who calls, whether that caller may, the body and a share of this replica, and one
// judgement with the operation. Doors call it: HTTP in the server, and a function in services inside a process.
import type { Call } from './calls.ts';
import { callerOf, strangers } from './caller.ts';
import { Missing, type Settled } from './ledger/decision.ts';
import { allowed, decide, settle, type Way } from './operate.ts';
import type { Arrival, Caller, Part } from './operation.ts';
import { Refusal } from './rules/refusal.ts';
import type { Service } from './service.ts';

/** The transport of a call. Each method calls its callback exactly once, possibly before it returns. */
export interface Door {
  /** How many bytes the body has, as far as that is known: Infinity if it is not. */
  readonly bodyBytes: number;
  /** Is told who calls. */
  admit(caller: Caller): void;
  /** Waits for a share of this replica, under the name of a tenant or of strangers. */
  enter(name: string, cost: number, then: () => void): void;
  /** Waits for the body. `input` returns what the request says beside its headers, or throws what is wrong with it. */
  read(then: (input: () => object) => void): void;
  /** Runs the last step, which asks for the answer. */
  operate(work: () => void): void;
  /** Is told the answer. */
  settled(settled: Settled<object>): void;
  /** Is told of a Refusal, which has a receipt if the log records it, or of a fault. */
  failed(error: unknown): void;
}

/** Bodies that are not longer are awaited before the call takes a share of this replica: slow clients hold none. */
const shortBody = 16 * 1024;
/** How many bytes of a body cost as much as a call without one. */
const bytesPerCost = 32 * 1024;
/** How many bytes of a batch do so, which are many short items, and what these cost at most. */
const bytesPerCostOfItems = 2 * 1024;
const mostCostOfItems = 15;
/** What a call costs at most: a tenant has one of these at once. */
const mostCost = 33;

/** Answers a call. */
export const answer = (service: Service, arrival: Arrival, door: Door): void =>
  new Answering(service, arrival, door).begin();

class Answering {
  readonly #service: Service;
  readonly #call: Call;
  readonly #arrival: Arrival;
  readonly #door: Door;
  #since = performance.now();

  constructor(service: Service, arrival: Arrival, door: Door) {
    this.#service = service;
    this.#call = service.calls[arrival.route];
    this.#arrival = arrival;
    this.#door = door;
  }

  begin(): void {
    this.#try(() => {
      const found = callerOf(this.#service, this.#arrival);
      if (!(found instanceof Promise)) return this.#check(found);
      const check = (caller: Caller): void => this.#try(() => this.#check(caller));
      found.then(check, (error: unknown) => this.#door.failed(error));
    });
  }

  #check(caller: Caller): void {
    const may = mayCall(this.#service, caller);
    if (may === true) return this.#admit(caller);
    // What is remembered can be out of date.
    const confirm = async (): Promise<void> => {
      const how = { ...this.#how, reads: this.#call.reads?.ofAnyHead && this.#call.reads };
      await settle(this.#service, caller, checking, how);
      this.#admit(caller);
    };
    const confirmed = (): void => void confirm().catch((error: unknown) => this.#door.failed(error));
    // Who is refused holds up strangers, and not the tenant.
    if (may === false) this.#door.enter(strangers, 1, confirmed);
    else confirmed();
  }

  #admit(caller: Caller): void {
    this.#door.admit(caller);
    if (this.#door.bodyBytes <= shortBody) {
      this.#read((input) => this.#enter(caller, () => this.#operate(caller, input)));
    } else this.#enter(caller, () => this.#read((input) => this.#operate(caller, input)));
  }

  #enter({ tenantId }: Caller, then: () => void): void {
    const { bodyBytes } = this.#door;
    const { cost = 1, item } = this.#call.endpoint;
    const ofItems = item ? Math.min(Math.floor(bodyBytes / bytesPerCostOfItems), mostCostOfItems) : 0;
    const whole = Math.min(cost + ofItems + Math.floor(bodyBytes / bytesPerCost), mostCost);
    this.#door.enter(tenantId, whole, () => this.#try(then));
  }

  /** The time that the body takes does not count against the deadline. */
  #read(then: (input: () => object) => void): void {
    const begunAt = performance.now();
    this.#door.read((input) => {
      this.#since += performance.now() - begunAt;
      this.#try(() => then(input));
    });
  }

  #operate(caller: Caller, read: () => object): void {
    this.#door.operate(() => {
      if (this.#door.bodyBytes >= bytesPerCost) void this.#askInTurns(caller, read);
      else this.#ask(caller, this.#partOf(caller, read));
    });
  }

  #partOf(caller: Caller, read: () => object): Part<object> {
    try {
      return this.#call.part(this.#service, caller, read());
    } catch (fault) {
      return faulty(fault);
    }
  }

  /** A long body takes a turn of the event loop each to be parsed, checked and judged. */
  async #askInTurns(caller: Caller, read: () => object): Promise<void> {
    const { fair } = this.#service;
    let part: Part<object>;
    try {
      const input = read();
      await fair.pause(caller.tenantId);
      part = this.#partOf(caller, () => input);
    } catch (fault) {
      part = faulty(fault);
    }
    await fair.pause(caller.tenantId);
    this.#try(() => this.#ask(caller, part));
  }

  #ask(caller: Caller, part: Part<object>): void {
    const settled = (end: Settled<object>): void => this.#try(() => this.#door.settled(end));
    decide(this.#service, caller, part, this.#how, settled, (error) => this.#door.failed(error));
  }

  get #how(): Way {
    return { signal: this.#arrival.signal, since: this.#since, reads: this.#call.reads };
  }

  /** Whatever a step throws is the end of the call. */
  #try(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#door.failed(error);
    }
  }
}

/** What is judged of a call before its body: whether the caller may make it. */
const checking: Part<object> = { judge: () => ({ entries: [], answer: {} }) };

/** Tells what is wrong with the input of those who may call. Others learn that they may not. */
const faulty = (fault: unknown): Part<object> => ({
  judge() {
    throw fault;
  },
});

/** Whether a caller may make the call, as far as that is remembered. Undefined if it is not. */
function mayCall({ ledger }: Service, caller: Caller): boolean | undefined {
  const view = ledger.remembered(caller.tenantId);
  try {
    if (view) allowed(caller, view);
    return view && true;
  } catch (error) {
    if (error instanceof Missing) return undefined;
    if (error instanceof Refusal) return false;
    throw error;
  }
}
