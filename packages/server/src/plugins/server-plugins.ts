// The plugins that the server brings: people, issuers with fetched keys, intake, and the proofs of a public log if it keeps one.
import { intake, issuers, people, type Plugin } from '@eaas/service';
import { type KeySetOptions, keySetsOf } from './key-sets.ts';
import { type PublicLog, publicLogPlugin } from './public-log.ts';
import { signatureVerifier } from './signatures.ts';

export interface PluginOptions extends KeySetOptions {
  /** Is told how many data keys of writers without credentials a request has opened. */
  readonly intakeOpened: (count: number) => void;
  readonly publicLog: () => PublicLog | undefined;
}

export const serverPlugins = ({ intakeOpened, publicLog, ...fetching }: PluginOptions): Plugin[] => [
  people(),
  issuers({
    verify: signatureVerifier(),
    keysFor: keySetsOf(fetching),
    keyHostFault: (uri) => fetching.hosts.faultOf(uri),
  }),
  intake(intakeOpened),
  publicLogPlugin(fetching.database, publicLog),
];
