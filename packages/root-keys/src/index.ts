export { rootKeyInWrappedFile, wrapRootKey } from './wrapped.ts';
