// The service inside your process. Version 1 is for tests: it forgets its keys when the process ends.
export {
  createTestService,
  type TenantFields,
  type TestService,
  type TestServiceOptions,
} from './test-service.ts';
export type { Failure, FailureOptions, SeenRequest } from './fetch.ts';
