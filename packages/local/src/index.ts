// The service inside your process: for apps without a server, and for tests.
export { createLocalService, type LocalService, type LocalServiceOptions } from './local-service.ts';
export {
  createTestService,
  type TestTenant,
  type TestService,
  type TestServiceOptions,
} from './test-service.ts';
export type { TestFailure, FailureOptions, TestRequest } from './fetch.ts';
