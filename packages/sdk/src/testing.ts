// The test service is its own package now. This entry keeps its names until version 1.0.
export {
  createTestService,
  type Failure,
  type FailureOptions,
  type SeenRequest,
  type TenantFields,
  type TestService,
  type TestServiceOptions,
} from '@eaas/local';
