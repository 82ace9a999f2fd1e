// The way of a call, and the order of its checks: who calls, whether that caller may, the body and a share of this replica, and one
// judgement with the operation. Doors call it: HTTP in the server, and a function in services inside a process.
import { callerOf } from './caller.ts';
import { Missing } from './ledger/decision.ts';
import { allowed, decide, type Ends, settle } from './operate.ts';
import type { Arrival, Caller, Part } from './operation.ts';
import { Refusal } from './rules/refusal.ts';
import type { Service } from './service.ts';
import { strangers } from './tokens.ts';

/** What a door does for a call. Whatever it is asked for, it goes on once, perhaps at once. */
export interface Door extends Ends<object> {
  /** Whether the body is so short that it is awaited before the call takes a share of this replica. */
  readonly isShort: boolean;
  /** What the body costs beside the call. */
  readonly bodyCost: number;
  /** Is told who calls. */
  admit(caller: Caller): void;
  /** Waits for a share of this replica, under the name of a tenant or of strangers. */
  enter(name: string, cost: number, then: () => void): void;
  /** Waits for the body. `input` returns what the request says beside its headers, or throws what is wrong with it. */
  read(then: (input: () => object) => void): void;
  /** Runs the last step, which asks for the answer. */
  operate(work: () => void): void;
}

/** What a call costs at most: a tenant has one of these at once. */
const mostCost = 33;
/** The items of a batch, from which on it takes a turn of the event loop each to parse, to check and to judge it. */
const many = 100;

/** Answers a call. */
export function answer(service: Service, arrival: Arrival, door: Door): void {
  const { endpoint, part } = service.calls[arrival.route];
  const { cost = 1, ofAnyHead } = endpoint;
  const whole = Math.min(cost + door.bodyCost, mostCost);
  let since = performance.now();

  /** Whatever a step throws is the end of the call. */
  const step =
    <Values extends unknown[]>(work: (...values: Values) => void) =>
    (...values: Values): void => {
      try {
        work(...values);
      } catch (error) {
        door.failed(error);
      }
    };

  const know = step((caller: Caller) => {
    const may = mayCall(service, caller);
    if (may === true) return admit(caller);
    // What is remembered can be out of date.
    const confirm = (): void => {
      const checking: Part<object> = ofAnyHead ? { ...nothing, by: 'snapshot', ofAnyHead } : nothing;
      settle(service, caller, checking, { signal: arrival.signal, since }).then(
        () => admit(caller),
        (error: unknown) => door.failed(error),
      );
    };
    // Who is refused holds up strangers, and not the tenant.
    return may === false ? door.enter(strangers, 1, confirm) : confirm();
  });

  const admit = step((caller: Caller) => {
    door.admit(caller);
    const { tenantId } = caller;
    if (door.isShort) read((input) => door.enter(tenantId, whole, () => operate(caller, input)));
    else door.enter(tenantId, whole, () => read((input) => operate(caller, input)));
  });

  /** How long the body takes is the client's affair. */
  const read = (then: (input: () => object) => void): void => {
    const begunAt = performance.now();
    door.read((input) => {
      since += performance.now() - begunAt;
      then(input);
    });
  };

  const operate = (caller: Caller, read: () => object): void =>
    door.operate(
      step(() => {
        let input: object;
        try {
          input = read();
        } catch (fault) {
          return ask(caller, faulty(fault));
        }
        return itemsIn(input) > many ? void askInTurns(caller, input) : ask(caller, partFor(caller, input));
      }),
    );

  async function askInTurns(caller: Caller, input: object): Promise<void> {
    await service.fair.pause(caller.tenantId);
    const made = partFor(caller, input);
    await service.fair.pause(caller.tenantId);
    ask(caller, made);
  }

  function partFor(caller: Caller, input: object): Part<object> {
    try {
      return part(service, caller, input);
    } catch (fault) {
      return faulty(fault);
    }
  }

  const ask = step((caller: Caller, made: Part<object>) =>
    decide(service, caller, made, { signal: arrival.signal, since }, ends),
  );

  const ends: Ends<object> = {
    settled: step((settled) => door.settled(settled)),
    failed: (error) => door.failed(error),
  };

  step(() => {
    const found = callerOf(service, arrival);
    if (found instanceof Promise) found.then(know, (error: unknown) => door.failed(error));
    else know(found);
  })();
}

/** A part that adds nothing: what is left is whether the caller may call. */
const nothing: Part<object> = { by: 'append', judge: () => ({ entries: [], answer: {} }) };

/** Tells what is wrong with the input of those who may call. Others learn that they may not. */
const faulty = (fault: unknown): Part<object> => ({
  by: 'append',
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

const itemsIn = ({ items }: { readonly items?: unknown }): number =>
  Array.isArray(items) ? items.length : 0;
