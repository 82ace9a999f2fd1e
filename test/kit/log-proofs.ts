/** The vectors of the public log, for suites that run where there is no file system. */
export { default as logProofs } from '../vectors/log-proof.json' with { type: 'json' };
