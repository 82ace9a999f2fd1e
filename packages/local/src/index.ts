// The service inside your process: for apps without a server, and for tests.
export { localService, type LocalService, type LocalServiceOptions } from './local-service.ts';
export {
  createTestService,
  type TenantFields,
  type TestService,
  type TestServiceOptions,
} from './test-service.ts';
export type { Failure, FailureOptions, SeenRequest } from './fetch.ts';
