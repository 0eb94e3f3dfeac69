import { Duration, Fn, RemovalPolicy, Stack, Token, Validations } from 'aws-cdk-lib';
import { type Alias, FunctionUrlAuthType, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { chatTimeoutSeconds } from '#lambdas/inference/chat/limits.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import type { ProviderSecret } from '../data/provider-secret.ts';
import type { DirectoryTable, LogEntriesTable } from '../data/tables.ts';
import type { Settings } from '../settings.ts';
import { GatewayFunction } from './gateway-function.ts';
import type { LogRecovery } from './log-recovery.ts';

export interface ChatFunctionProps {
  settings: Settings;
  directory: DirectoryTable;
  logEntries: LogEntriesTable;
  logRecovery: LogRecovery;
  providerSecret: ProviderSecret;
}

export const chatTimeout = Duration.seconds(chatTimeoutSeconds);

/** Forwards chat completions; reached through the REST API and, without it, through a Function URL. */
export class ChatFunction extends Construct {
  /** The alias that callers reach. A deploy moves it to the new version in one step. */
  readonly live: Alias;
  /** Without a trailing slash. */
  readonly url: string;
  readonly logGroupName: string;

  constructor(scope: Construct, id: string, props: ChatFunctionProps) {
    super(scope, id);
    const fn = new GatewayFunction(this, 'Function', {
      entry: 'inference/chat/chat.lambda.ts',
      description: 'Forwards chat completions to their provider and logs each request',
      timeout: chatTimeout,
      memoryMb: props.settings.chatMemoryMb,
      reservedConcurrency: props.settings.chatConcurrency ?? undefined,
      logRetention: props.settings.logRetentionDays,
      // Its lines may be the only place that has an entry.
      logRemovalPolicy: RemovalPolicy.RETAIN,
    });
    fn.addEnvironment('PROVIDERS', JSON.stringify(props.settings.providers));
    fn.addEnvironment('CHAT_LIMITS', JSON.stringify(props.settings.chatLimits));
    props.directory.grantFindApiKey(fn);
    props.logEntries.grantAppend(fn);
    props.logRecovery.grantSend(fn);
    props.providerSecret.grantReadCredentials(fn);
    grantBedrock(fn, props.settings.providers);

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
 * Lets the function call the models of Bedrock with its role, if the settings name the provider. The account decides
 * which models it can use, and the request which of them is called.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html
 */
function grantBedrock(fn: GatewayFunction, { bedrock }: ProviderSettingsByName): void {
  if (bedrock === undefined) return;
  const stack = Stack.of(fn);
  const { partition, account } = stack;
  const place = { partition, account, region: bedrock.region ?? stack.region };
  const { models, own } = bedrockResources(place);
  fn.allow({
    // Converse and ConverseStream have no actions of their own.
    actions: ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'],
    resources: [models, own],
  });
  fn.allow({ actions: ['bedrock:ApplyGuardrail'], resources: [own] });
  // The role is a sibling of the function.
  Validations.of(fn.node.scope ?? fn).acknowledge(
    ...Object.values(bedrockResources(toFindingNotation(place))).map((resource) => ({
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
    // In every region, since an inference profile sends requests to several, and in none, as for global profiles.
    models: `arn:${partition}:bedrock:*::foundation-model/*`,
    // Inference profiles, provisioned and custom models, prompt routers, guardrails.
    own: `arn:${partition}:bedrock:${region}:${account}:*`,
  };
}

/** The notation of cdk-nag's findings for values that are known at deployment only. */
function toFindingNotation({ partition, region, account }: ArnScope): ArnScope {
  const written = (value: string, name: string) => (Token.isUnresolved(value) ? `<AWS::${name}>` : value);
  return {
    partition: written(partition, 'Partition'),
    region: written(region, 'Region'),
    account: written(account, 'AccountId'),
  };
}
