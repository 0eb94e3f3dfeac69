import { defineConfig } from './lib/settings.ts';

/**
 * The settings of your gateway. Each commented line shows the default of its setting; README.md explains the settings.
 * For a second deployment, copy this file and pass the copy: `npx cdk deploy -c config=staging.config.ts`.
 */
export default defineConfig({
  // stackName: 'AiGateway',
  // Days after which log entries expire. Cost rollups are kept.
  // entryRetentionDays: 90,
  // Days for which CloudWatch keeps the logs of the functions and the API.
  // logRetentionDays: 30,
  // Memory of the chat function in megabytes.
  // chatMemoryMb: 256,
  // Reserved concurrency of the chat function. null: the unreserved concurrency of the account.
  // chatConcurrency: null,
  // Provisioned concurrency of the chat function, which is billed even when idle. null: none.
  // chatProvisionedConcurrency: null,
  // Timeouts and retries of chat requests.
  // chatLimits: {
  //   firstByteSeconds: 285,
  //   idleSeconds: 285,
  //   totalSeconds: 888,
  //   drainSeconds: 30,
  //   drainMegabytes: 10,
  //   retries: 1,
  //   retryAfterSeconds: 2,
  // },
  // Providers that need more than a credential. Set credentials with `npm run admin -- provider set NAME`.
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
