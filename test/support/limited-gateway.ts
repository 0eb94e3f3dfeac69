/** The settings of the gateway for tests that reach a limit of API Gateway or Lambda, also from a browser. */
import type { GatewayConfig } from '#lib/settings/settings.ts';

/** Browsers resolve it to this machine. */
export const allowedPage = 'http://app.localhost';

/** The local run ignores provisioned concurrency. */
export const limitedSettings: GatewayConfig = {
  chatConcurrency: 2,
  chatProvisionedConcurrency: 2,
  allowedOrigins: ['https://app.example.com', allowedPage],
};
