import { defineConfig } from './lib/settings/settings.ts';

/**
 * The settings of your gateway. Each commented line shows the default of its setting or, where it says so, an example.
 * README.md explains the settings.
 * For a second deployment, copy this file and pass the copy: `npx cdk deploy -c config=staging.config.ts`.
 */
export default defineConfig({
  // stackName: 'AiGateway',
  // Days after which log entries expire. Cost rollups are kept.
  // entryRetentionDays: 90,
  // Whether an index finds log entries by the ids of their responses. It adds a write to each request.
  // indexResponseIds: false,
  // Days after which records of the audit trail expire.
  // auditRetentionDays: 400,
  // Days for which CloudWatch keeps the logs of the functions and the API.
  // logRetentionDays: 30,
  // Memory of the chat function in megabytes.
  // chatMemoryMb: 256,
  // Reserved concurrency of the chat function. null: the unreserved concurrency of the account.
  // chatConcurrency: null,
  // Provisioned concurrency of the chat function, which is billed even when idle. null: none.
  // chatProvisionedConcurrency: null,
  // Origins of web pages from which browsers may call the API.
  // allowedOrigins: [],
  // Timeouts and retries of chat requests.
  // chatLimits: {
  //   firstByteSeconds: 285,
  //   idleSeconds: 285,
  //   totalSeconds: 884,
  //   drainSeconds: 30,
  //   drainMegabytes: 10,
  //   retries: 1,
  //   retryAfterSeconds: 2,
  //   heartbeatSeconds: 15,
  // },
  // Comments after the events of streams, if `npm run smoke` finds that Lambda holds events back.
  // streamFlush: false,
  // Providers that need more than a credential. Set credentials with `npm run admin -- provider set NAME`. An example:
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
  // Provider of models without a prefix, such as 'openai' for 'gpt-5.5'. null: these are refused.
  // defaultProvider: null,
  // The session that a coding agent sends becomes the session of its log entries.
  // agentSessions: true,
  // The dashboard with its sign-in. false: leave out all of it.
  // dashboard: true,
  // Domain of the dashboard, whose DNS record you create, and its certificate in us-east-1. null: a domain of CloudFront.
  // dashboardDomain: null,
  // dashboardCertificateArn: null,
  // E-mail addresses and domains that may sign up without an invitation, and create organizations.
  // organizationCreators: [],
  // 'open': anybody may sign up.
  // signUp: 'invited',
  // Sender of e-mails, whose domain is verified in SES. null: Cognito, which sends about 50 e-mails a day, and no e-mails
  // about invitations and budgets.
  // mailFrom: null,
  // Requires an authenticator app of everybody. A passkey may then replace password and code.
  // requireMfa: false,
  // Identity provider of your company, OIDC or SAML. null, the default: none. An example:
  // identityProvider: {
  //   name: 'Acme',
  //   domains: ['acme.example'],
  //   issuer: 'https://login.acme.example',
  //   clientId: 'CLIENT_ID',
  //   clientSecretName: 'SECRET_NAME',
  // },
  // 'alarms': the most important alarms, saved queries and scheduled maintenance. 'all': also the other alarms, all metrics
  // and a CloudWatch dashboard. 'off': none of them. docs/cost.md has their prices.
  // monitoring: 'alarms',
  // Address that receives the alarms, once it has confirmed the subscription. null: subscribe to the SNS topic yourself.
  // alarmEmail: null,
  // Models with metrics of their own, such as 'openai/gpt-5.5', with monitoring: 'all'.
  // metricModels: [],
  // Traces requests through API Gateway and the functions with X-Ray.
  // tracing: false,
  // Checks both endpoints regularly, with an organization of its own. Without a model, it checks only that requests are
  // refused. null, the default: no canary. An example:
  // canary: { model: 'openai/gpt-4o-mini', everyMinutes: 15 },
});
