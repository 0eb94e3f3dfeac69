import { Duration, Fn, Stack, Token, Validations } from 'aws-cdk-lib';
import { type Alias, FunctionUrlAuthType, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { chatTimeoutSeconds } from '#lambdas/inference/exchange/limits.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import type { ProviderSecret } from '../data/provider-secret.ts';
import { retainAfterCreation } from '../data/retained.ts';
import type {
  BudgetCountersTable,
  ConversationStateTable,
  DirectoryTable,
  LogEntriesTable,
  PricesTable,
} from '../data/tables.ts';
import { flushMsOf, type Settings } from '../settings/settings.ts';
import { GatewayFunction } from './gateway-function.ts';
import type { LogRecovery } from './log-recovery.ts';

interface ChatFunctionProps {
  settings: Settings;
  directory: DirectoryTable;
  logEntries: LogEntriesTable;
  logRecovery: LogRecovery;
  prices: PricesTable;
  budgetCounters: BudgetCountersTable;
  conversationState: ConversationStateTable;
  providerSecret: ProviderSecret;
}

export const chatTimeout = Duration.seconds(chatTimeoutSeconds);

export class ChatFunction extends Construct {
  readonly function: GatewayFunction;
  /** Receives all requests of the function URL and the REST API. A deployment switches it to the new version. */
  readonly live: Alias;
  /** Without a trailing slash. */
  readonly url: string;
  readonly logGroupName: string;

  constructor(scope: Construct, id: string, props: ChatFunctionProps) {
    super(scope, id);
    const fn = new GatewayFunction(this, 'Function', {
      entry: 'inference/inference.lambda.ts',
      description: 'Forwards requests for AI models to their provider and logs each of them',
      timeout: chatTimeout,
      memoryMb: props.settings.chatMemoryMb,
      reservedConcurrency: props.settings.chatConcurrency ?? undefined,
      settings: props.settings,
      // A log line can be the only copy of a log entry.
      logRemovalPolicy: retainAfterCreation,
    });
    fn.addEnvironment('PROVIDERS', JSON.stringify(props.settings.providers));
    fn.addEnvironment('DEFAULT_PROVIDER', JSON.stringify(props.settings.defaultProvider));
    fn.addEnvironment('AGENT_SESSIONS', String(props.settings.agentSessions));
    fn.addEnvironment('CHAT_LIMITS', JSON.stringify(props.settings.chatLimits));
    fn.addEnvironment('STREAM_FLUSH_MS', String(flushMsOf(props.settings)));
    fn.addEnvironment('ALLOWED_ORIGINS', JSON.stringify(props.settings.allowedOrigins));
    props.directory.grantFind(fn);
    props.logEntries.grantAppend(fn);
    props.logRecovery.grantSend(fn);
    props.prices.grantFind(fn);
    props.budgetCounters.grantUpdate(fn);
    props.conversationState.grantContinue(fn);
    props.providerSecret.grantReadCredentials(fn);
    grantBedrock(fn, props.settings.providers);

    this.function = fn;
    this.logGroupName = fn.logGroup.logGroupName;
    this.live = fn.addAlias('live', {
      provisionedConcurrentExecutions: props.settings.chatProvisionedConcurrency ?? undefined,
    });
    // Open to the internet like the REST API: the handler checks the caller's API key before anything else.
    const functionUrl = this.live.addFunctionUrl({
      authType: FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
    });
    this.url = `https://${Fn.select(2, Fn.split('/', functionUrl.url))}`;
  }
}

/**
 * Allows the function to invoke Bedrock models with its role, if the settings contain the provider. The account
 * determines which models are available, and each request names one of them.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html
 */
function grantBedrock(fn: GatewayFunction, { bedrock }: ProviderSettingsByName): void {
  if (bedrock === undefined) return;
  const stack = Stack.of(fn);
  const { partition, account } = stack;
  const scope = { partition, account, region: bedrock.region ?? stack.region };
  const { models, accountResources } = bedrockResources(scope);
  fn.allow({
    // The actions to invoke a model also authorize Converse and ConverseStream.
    actions: ['bedrock:CountTokens', 'bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'],
    resources: [models, accountResources],
  });
  fn.allow({ actions: ['bedrock:ApplyGuardrail'], resources: [accountResources] });
  // Acknowledge the findings on the function's scope, which contains its role.
  Validations.of(fn.node.scope ?? fn).acknowledge(
    ...Object.values(bedrockResources(toFindingNotation(scope))).map((resource) => ({
      id: `AwsSolutions-IAM5[Resource::${resource}]`,
      reason: 'The request names the model, and each request is priced and logged.',
    })),
  );
}

interface ArnScope {
  partition: string;
  region: string;
  account: string;
}

function bedrockResources({ partition, region, account }: ArnScope) {
  return {
    // The wildcard matches every region, since inference profiles route requests to several, and the empty region that
    // global profiles use.
    models: `arn:${partition}:bedrock:*::foundation-model/*`,
    // Inference profiles, provisioned and custom models, prompt routers, guardrails.
    accountResources: `arn:${partition}:bedrock:${region}:${account}:*`,
  };
}

/** Replaces unresolved values with the placeholders that cdk-nag uses in its findings. */
function toFindingNotation({ partition, region, account }: ArnScope): ArnScope {
  const placeholder = (value: string, name: string) => (Token.isUnresolved(value) ? `<AWS::${name}>` : value);
  return {
    partition: placeholder(partition, 'Partition'),
    region: placeholder(region, 'Region'),
    account: placeholder(account, 'AccountId'),
  };
}
