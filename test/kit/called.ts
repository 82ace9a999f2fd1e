// Answers calls as doors do, of a service in this process, without HTTP.
import { answer, type Arrival, type Door, type Service, type Settled } from '@eaas/service';

/** Answers a call. `input` returns what the body says, or throws what is wrong with it. Throws Refusal. */
export const called = (
  service: Service,
  arrival: Pick<Arrival, 'route'> & Partial<Arrival>,
  input: () => object,
  door: Partial<Door> = {},
): Promise<Settled<object>> =>
  new Promise((settled, failed) =>
    answer(
      service,
      {
        authorization: undefined,
        origin: undefined,
        header: () => undefined,
        ipAddress: '192.0.2.7',
        ...arrival,
      },
      {
        bodyBytes: 0,
        admit: () => {},
        enter: (_name, _cost, then) => then(),
        read: (then) => then(input),
        operate: (work) => work(),
        ...door,
        settled,
        failed,
      },
    ),
  );
