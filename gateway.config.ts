import { defineConfig } from './lib/settings.ts';

/**
 * The settings of your gateway. A setting that is left out has the default that its line shows; README.md explains
 * each. For a second deployment, copy this file and name the copy: `npx cdk deploy -c config=staging.config.ts`.
 */
export default defineConfig({
  // stackName: 'AiGateway',
  // Days after which log entries expire. Cost rollups stay.
  // entryRetentionDays: 90,
  // Days for which CloudWatch keeps the logs of the functions and of the API.
  // logRetentionDays: 30,
  // chatMemoryMb: 256,
  // Chat requests that run at the same time. null: as many as the account has left.
  // chatConcurrency: null,
  // Environments of the chat function that are kept ready, and paid for when idle. null: none.
  // chatProvisionedConcurrency: null,
  // Deadlines and retries of a chat request.
  // chatLimits: {
  //   firstByteSeconds: 285,
  //   idleSeconds: 285,
  //   totalSeconds: 888,
  //   drainSeconds: 30,
  //   drainMegabytes: 10,
  //   retries: 1,
  //   retryAfterSeconds: 2,
  // },
  // Providers that need more than a credential. Credentials are not settings: `npm run admin -- provider set NAME`.
  // providers: {
  //   bedrock: {},
  //   azure: { baseUrl: 'https://RESOURCE.openai.azure.com/openai/v1' },
  //   vllm: {
  //     baseUrl: 'http://10.0.0.5:8000/v1',
  //     private: true,
  //     prices: { input: 0.1, output: 0.4 },
  //     models: ['llama-3.3-70b'],
  //   },
  // },
});
