/** The state of an AWS account, in one region, that the fake services of this folder serve. */

export interface FakeStack {
  id: string;
  name: string;
  status: string;
  resources: FakeStackResource[];
}

export interface FakeStackResource {
  type: string;
  logicalId: string;
  physicalId: string;
  status: string;
}

export interface DeploymentAccount {
  /** An error code with which every service refuses the credentials, such as `ExpiredToken`. */
  credentialError: string | null;
  /** IAM actions that the caller's policy does not allow, such as `ssm:GetParameter`. */
  denied: Set<string>;
  /** The IAM actions of all requests, in their order. */
  calls: string[];
  /** The parameters of Systems Manager, by name. */
  parameters: Map<string, string>;
  distributions: number;
  concurrency: { limit: number; unreserved: number };
  /** Reserved concurrency by function name. */
  reservations: Map<string, number>;
  logRoleArn: string | null;
  mail: { hasProductionAccess: boolean; isSendingEnabled: boolean };
  /** By address or domain. */
  identities: Map<string, { isVerified: boolean; configurationSet?: string }>;
  stacks: FakeStack[];
  tables: Map<string, { items: number; isProtected: boolean }>;
  userPools: Map<string, { users: number; isProtected: boolean; domain: string | null }>;
  /** By URL. */
  queues: Map<string, { visible: number; inFlight: number; delayed: number }>;
  /** By ARN. */
  secrets: Map<string, { value: string; isDeleted: boolean }>;
  /** Names of log streams by log group. */
  logGroups: Map<string, string[]>;
}

export const accountId = '111122223333';
export const callerArn = `arn:aws:sts::${accountId}:assumed-role/Deployer/jane`;

/** An account in which nothing is deployed, and in which nothing prevents a deployment. */
export function createAccount(): DeploymentAccount {
  return {
    credentialError: null,
    denied: new Set(),
    calls: [],
    parameters: new Map([['/cdk-bootstrap/hnb659fds/version', '28']]),
    distributions: 1,
    concurrency: { limit: 1000, unreserved: 1000 },
    reservations: new Map(),
    logRoleArn: null,
    mail: { hasProductionAccess: true, isSendingEnabled: true },
    identities: new Map(),
    stacks: [],
    tables: new Map(),
    userPools: new Map(),
    queues: new Map(),
    secrets: new Map(),
    logGroups: new Map(),
  };
}

export function stackId(name: string, number: number): string {
  return `arn:aws:cloudformation:eu-west-1:${accountId}:stack/${name}/00000000-0000-0000-0000-00000000000${number}`;
}

const retained = (type: string, logicalId: string, physicalId: string): FakeStackResource => ({
  type,
  logicalId,
  physicalId,
  status: 'DELETE_SKIPPED',
});

/** Adds a stack whose creation failed, and the resources without data that it has left. */
export function addFailedStack(account: DeploymentAccount, { id, name }: { id: string; name: string }): void {
  const suffix = id.at(-1);
  const table = `${name}-Directory98167B95-${suffix}`;
  const pool = `eu-west-1_Pool${suffix}`;
  const queue = `https://sqs.eu-west-1.amazonaws.com/${accountId}/${name}-LostEntries-${suffix}`;
  const secret = `arn:aws:secretsmanager:eu-west-1:${accountId}:secret:ProviderSecretB148C1D8-${suffix}`;
  const logGroup = `${name}-ChatFunctionLogGroup5BD7BC05-${suffix}`;
  account.tables.set(table, { items: 0, isProtected: true });
  account.userPools.set(pool, { users: 0, isProtected: true, domain: `ai-gateway-${suffix}` });
  account.queues.set(queue, { visible: 0, inFlight: 0, delayed: 0 });
  account.secrets.set(secret, { value: '{}', isDeleted: false });
  account.logGroups.set(logGroup, []);
  account.stacks.push({
    id,
    name,
    status: 'ROLLBACK_COMPLETE',
    resources: [
      retained('AWS::DynamoDB::Table', 'Directory98167B95', table),
      retained('AWS::Cognito::UserPool', 'DashboardUserPool', pool),
      retained('AWS::SQS::Queue', 'LogRecoveryLostEntriesE24F02D8', queue),
      retained('AWS::SecretsManager::Secret', 'ProviderSecretB148C1D8', secret),
      retained('AWS::Logs::LogGroup', 'ChatFunctionLogGroup5BD7BC05', logGroup),
      retained('AWS::IAM::Role', 'RestApiCloudWatchRole02A86EA0', `${name}-RestApiCloudWatchRole-${suffix}`),
      { ...retained('AWS::Lambda::Function', 'ChatFunction', 'chat'), status: 'DELETE_COMPLETE' },
    ],
  });
}
