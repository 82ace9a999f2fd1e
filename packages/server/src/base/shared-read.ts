// The single flight of the service, for what the server reads for many.
export { SharedRead } from '@eaas/service';
