import { ExchangeView } from './exchange-view.tsx';
import type { Recorded } from './exchanges.ts';
import { Refused } from './refused.tsx';

interface DecryptedProps {
  readonly outcome: Recorded<string> | undefined;
  readonly showsRequests?: boolean;
}

export function Decrypted({ outcome, showsRequests = false }: DecryptedProps) {
  if (!outcome) return null;
  if (!outcome.ok) return <Refused outcome={outcome} />;
  return (
    <>
      <output class="opened">{outcome.value}</output>
      {showsRequests &&
        outcome.exchanges.map((exchange, index) => <ExchangeView key={index} exchange={exchange} />)}
    </>
  );
}
