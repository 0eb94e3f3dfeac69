import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requiredBootstrapVersion } from '#cli/deployment/preflight/bootstrap.ts';
import { runPreflight } from '#cli/deployment/preflight/program.ts';
import { checks } from '#cli/deployment/preflight/run-checks.ts';
import type { GatewayConfig } from '#lib/settings/settings.ts';
import { synthesizeGateway } from '#test/lib/synthesized-gateway.ts';
import {
  addFailedStack,
  createAccount,
  type DeploymentAccount,
  type FakeStackResource,
  stackId,
} from '#test/support/aws/deployment-account/account.ts';
import { credentials, runInAccount } from '#test/support/aws/deployment-account/run-command.ts';

let directory: string;
let account: DeploymentAccount;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'preflight-'));
  account = createAccount();
});

afterEach(() => rm(directory, { recursive: true }));

async function writeSettings(config: GatewayConfig): Promise<string> {
  const file = join(directory, 'gateway.config.json');
  await writeFile(file, JSON.stringify(config));
  return file;
}

async function preflight(config: GatewayConfig = {}, ...options: string[]) {
  const commandLine = ['--config', await writeSettings(config), ...options];
  return runInAccount(account, (terminal) => runPreflight(commandLine, terminal));
}

interface CheckJson {
  check: string;
  status: string;
  message: string;
  action: string | null;
}

async function resultOf(name: string, config: GatewayConfig = {}, ...options: string[]): Promise<CheckJson> {
  const { stdout } = await preflight(config, '--json', ...options);
  const result = JSON.parse(stdout).checks.find(({ check }: CheckJson) => check === name);
  if (result === undefined) throw new Error(`There is no result of ${name}`);
  return result;
}

const mail: GatewayConfig = { mailFrom: 'gateway@acme.example' };
const verified = { isVerified: true };

function addStack(status: string, resources: FakeStackResource[] = []): void {
  account.stacks.push({ id: stackId('AiGateway', 1), name: 'AiGateway', status, resources });
}

function resource(type: string, logicalId: string, physicalId: string): FakeStackResource {
  return { type, logicalId, physicalId, status: 'CREATE_COMPLETE' };
}

describe('npm run preflight', () => {
  it('prints a line for each check, and succeeds if none has failed', async () => {
    expect(await preflight()).toEqual({
      exitCode: 0,
      stdout: `ok       credentials       Account 111122223333, region eu-west-1 (AWS_REGION)
ok       bootstrap         The CDK's bootstrap stack has version 28
ok       stack             There is no stack AiGateway: the deployment creates it
ok       leftovers         No resources of former stacks remain
ok       streaming         Lambda and API Gateway stream responses in eu-west-1 (as of 2026-11-28)
ok       concurrency       The account's quota is 1000 concurrent executions, of which 1000 are unreserved
ok       cloudfront        The account has a CloudFront distribution
ok       api log role      API Gateway has no logging role in this region: the deployment sets one
No check failed: 8 ok, 0 warn, 0 unknown
`,
      stderr: '',
    });
    expect(account.calls.filter((call) => !/:(Get|List|Describe|GET)/.test(call))).toEqual([]);
  });

  it('fails with what to do on a line of its own, and prints warnings and unknowns', async () => {
    account.parameters.clear();
    account.concurrency = { limit: 10, unreserved: 10 };
    account.distributions = 0;

    expect(await preflight()).toEqual({
      exitCode: 1,
      stdout: expect.stringContaining(`
FAIL     bootstrap         The CDK has not been bootstrapped in eu-west-1
                           Run npx cdk bootstrap aws://111122223333/eu-west-1
ok       stack             `),
      stderr: 'error: 1 of 8 checks failed\n',
    });
  });

  it('prints JSON', async () => {
    account.parameters.clear();
    const { exitCode, stdout } = await preflight({}, '--json');

    expect(exitCode).toBe(1);
    const { ok, checks: results } = JSON.parse(stdout);
    expect(ok).toBe(false);
    expect(results).toHaveLength(8);
    expect(results[1]).toEqual({
      check: 'bootstrap',
      status: 'fail',
      message: 'The CDK has not been bootstrapped in eu-west-1',
      action: 'Run npx cdk bootstrap aws://111122223333/eu-west-1',
    });
  });

  it('checks the region of --region', async () => {
    expect(await resultOf('credentials', {}, '--region', 'eu-north-1')).toMatchObject({
      message: 'Account 111122223333, region eu-north-1 (--region)',
    });
  });

  it.each([
    ['ExpiredToken', 'The AWS credentials have expired', 'Sign in again, for example with "aws sso login"'],
    [
      'InvalidClientTokenId',
      'AWS does not accept the credentials in this region',
      'Check the access key or the profile, and that the region is enabled for the account',
    ],
    [
      'SignatureDoesNotMatch',
      'AWS does not accept the signature of the request',
      "Check the secret access key and this machine's clock",
    ],
  ])('fails for credentials that AWS refuses with %s, and skips the other checks', async (code, ...lines) => {
    account.credentialError = code;

    const { exitCode, stdout } = await preflight();

    expect(exitCode).toBe(1);
    expect(stdout).toBe(
      [
        `FAIL     credentials       ${lines[0]}`,
        `                           ${lines[1]}`,
        ...['bootstrap', 'stack', 'leftovers', 'streaming', 'concurrency', 'cloudfront', 'api log role'].map(
          (name) => `skipped  ${name.padEnd(18)}Skipped, because the check of the credentials failed`,
        ),
        '',
      ].join('\n'),
    );
    expect(account.calls).toEqual(['sts:GetCallerIdentity']);
  });

  it('takes region and credentials from the profile of --profile, and names it in the next command', async () => {
    const files = {
      AWS_CONFIG_FILE: join(directory, 'config'),
      AWS_SHARED_CREDENTIALS_FILE: join(directory, 'credentials'),
    };
    await writeFile(files.AWS_CONFIG_FILE, '[profile work]\nregion = eu-central-1\n');
    await writeFile(
      files.AWS_SHARED_CREDENTIALS_FILE,
      '[work]\naws_access_key_id = test\naws_secret_access_key = test\n',
    );
    addFailedStack(account, { id: stackId('AiGateway', 1), name: 'AiGateway' });
    const commandLine = ['--config', await writeSettings({}), '--profile', 'work'];

    const { stdout } = await runInAccount(account, (terminal) => runPreflight(commandLine, terminal), files);

    expect(stdout).toContain('Account 111122223333, region eu-central-1 (profile "work")\n');
    expect(stdout).toContain(
      ' Run npm run leftovers -- --stack AiGateway --region eu-central-1 --profile work, which shows what they contain\n',
    );
  });

  it('fails without credentials', async () => {
    const file = await writeSettings({});
    const run = await runInAccount(account, (terminal) => runPreflight(['--config', file], terminal), {
      AWS_REGION: 'eu-west-1',
    });

    expect(run.exitCode).toBe(1);
    expect(run.stdout).toContain(
      `FAIL     credentials       No valid AWS credentials were found
                           Sign in, for example with "aws sso login", or select another profile with --profile
`,
    );
    expect(account.calls).toEqual([]);
  });

  it('prints no secret', async () => {
    account.credentialError = 'SignatureDoesNotMatch';
    const { stdout, stderr } = await preflight();
    for (const secret of Object.values(credentials)) expect(stdout + stderr).not.toContain(secret);
  });
});

/** Prepares the account, and returns the settings. */
type Prepare = () => GatewayConfig | undefined;

interface Example {
  check: string;
  name: string;
  prepare: Prepare;
  result: Omit<CheckJson, 'check'>;
}

const raiseQuota = 'Request more in Service Quotas: AWS Lambda, "Concurrent executions" (L-B99A9384)';
const removeStack =
  'Run npm run leftovers -- --stack AiGateway --region eu-west-1 --remove, then npx cdk destroy';

const examples: Example[] = [
  {
    check: 'bootstrap',
    name: 'an old bootstrap stack',
    prepare: () => void account.parameters.set('/cdk-bootstrap/hnb659fds/version', '5'),
    result: {
      status: 'fail',
      message: "The CDK's bootstrap stack has version 5 in eu-west-1, but 6 is required",
      action: 'Run npx cdk bootstrap aws://111122223333/eu-west-1 again',
    },
  },
  ...[
    ['CREATE_COMPLETE', 'ok', 'the deployment updates it', null],
    ['UPDATE_ROLLBACK_COMPLETE', 'ok', 'the deployment updates it', null],
    ['ROLLBACK_COMPLETE', 'warn', 'its creation failed, and "cdk deploy" deletes it first', null],
    ['ROLLBACK_FAILED', 'fail', 'it cannot be updated', removeStack],
    ['DELETE_FAILED', 'fail', 'it cannot be updated', removeStack],
    ['CREATE_FAILED', 'fail', 'it cannot be updated', removeStack],
    ['UPDATE_ROLLBACK_FAILED', 'fail', 'it cannot be updated', 'Run npx cdk rollback'],
  ].map<Example>(([status = '', result = '', text, action]) => ({
    check: 'stack',
    name: `a stack that is ${status}`,
    prepare: () => void addStack(status ?? ''),
    result: {
      status: result ?? '',
      message: `Stack AiGateway is ${status}: ${text}`,
      action: action ?? null,
    },
  })),
  {
    check: 'stack',
    name: 'a stack that is being created',
    prepare: () => void addStack('CREATE_IN_PROGRESS'),
    result: {
      status: 'fail',
      message: 'Stack AiGateway is CREATE_IN_PROGRESS',
      action: 'Wait until CloudFormation has finished',
    },
  },
  {
    check: 'stack',
    name: 'a change set that nobody executed',
    prepare: () => void addStack('REVIEW_IN_PROGRESS'),
    result: {
      status: 'ok',
      message: 'There is no stack AiGateway: the deployment creates it',
      action: null,
    },
  },
  {
    check: 'leftovers',
    name: 'resources of failed stacks',
    prepare: () => {
      for (const number of [1, 2])
        addFailedStack(account, { id: stackId('AiGateway', number), name: 'AiGateway' });
      return undefined;
    },
    result: {
      status: 'warn',
      message:
        'Resources of former stacks remain: 2 × table, 2 × user pool, 2 × queue, 2 × secret, 2 × log group',
      action: 'Run npm run leftovers -- --stack AiGateway --region eu-west-1, which shows what they contain',
    },
  },
  {
    check: 'concurrency',
    name: 'the quota of a new account',
    prepare: () => {
      account.concurrency = { limit: 10, unreserved: 10 };
      return undefined;
    },
    result: {
      status: 'warn',
      message:
        "The account's quota is 10 concurrent executions: each open stream takes one for up to 15 minutes, and the dashboard, reports and rollups share the rest, or get 503",
      action: raiseQuota,
    },
  },
  {
    check: 'chat_concurrency',
    name: 'a reservation that leaves the minimum',
    prepare: () => ({ chatConcurrency: 900 }),
    result: {
      status: 'ok',
      message: "chatConcurrency (900) leaves 100 of the account's 1000 concurrent executions unreserved",
      action: null,
    },
  },
  {
    check: 'chat_concurrency',
    name: 'a reservation that leaves less than the documented minimum',
    prepare: () => ({ chatConcurrency: 901 }),
    result: {
      status: 'unknown',
      message:
        "chatConcurrency (901) leaves 99 of the account's 1000 concurrent executions unreserved: Lambda requires 100, in accounts with a low quota sometimes 10 to 50, and fails the deployment otherwise",
      action: `${raiseQuota}, or lower chatConcurrency`,
    },
  },
  {
    check: 'chat_concurrency',
    name: 'any reservation in a new account',
    prepare: () => {
      account.concurrency = { limit: 10, unreserved: 10 };
      return { chatConcurrency: 1 };
    },
    result: {
      status: 'fail',
      message:
        "chatConcurrency (1) leaves 9 of the account's 10 concurrent executions unreserved, and Lambda requires at least 10",
      action: `${raiseQuota}, or lower chatConcurrency`,
    },
  },
  {
    check: 'chat_concurrency',
    name: 'the reservation of an existing stack, which counts once',
    prepare: () => {
      account.concurrency = { limit: 1000, unreserved: 200 };
      account.reservations.set('AiGateway-Chat', 800);
      addStack('UPDATE_COMPLETE', [
        resource('AWS::IAM::Role', 'ChatFunctionRole0123ABCD', 'AiGateway-ChatRole'),
        resource('AWS::Lambda::Alias', 'ChatFunctionAliaslive0123ABCD', 'AiGateway-Chat:live'),
        resource('AWS::Lambda::Function', 'ChatFunction0123ABCD', 'AiGateway-Chat'),
      ]);
      return { chatConcurrency: 900 };
    },
    result: {
      status: 'ok',
      message: "chatConcurrency (900) leaves 100 of the account's 1000 concurrent executions unreserved",
      action: null,
    },
  },
  {
    check: 'chat_concurrency',
    name: 'provisioned concurrency without reserved concurrency',
    prepare: () => ({ chatProvisionedConcurrency: 995 }),
    result: {
      status: 'fail',
      message:
        "chatProvisionedConcurrency (995) leaves 5 of the account's 1000 concurrent executions unreserved, and Lambda requires at least 10",
      action: `${raiseQuota}, or lower chatProvisionedConcurrency`,
    },
  },
  {
    check: 'cloudfront',
    name: 'an account without a distribution',
    prepare: () => {
      account.distributions = 0;
      return undefined;
    },
    result: {
      status: 'unknown',
      message:
        'The account has no CloudFront distribution yet: accounts that AWS has not verified are refused ("Your account must be verified before you can add new CloudFront resources"), which fails the deployment after minutes',
      action: 'If it is refused, open a support case, or deploy with the setting dashboard: false until then',
    },
  },
  {
    check: 'mail_identity',
    name: 'a verified domain',
    prepare: () => {
      account.identities.set('acme.example', verified);
      return mail;
    },
    result: { status: 'ok', message: 'The domain acme.example is verified in Amazon SES', action: null },
  },
  {
    check: 'mail_identity',
    name: 'a domain whose verification is pending',
    prepare: () => {
      account.identities.set('acme.example', { isVerified: false });
      return mail;
    },
    result: {
      status: 'fail',
      message: 'mailFrom needs its domain acme.example verified in Amazon SES in eu-west-1, but it is not',
      action: 'Create the identity acme.example in SES, and its DNS records',
    },
  },
  {
    check: 'mail_identity',
    name: 'a verified address of an unknown domain',
    prepare: () => {
      account.identities.set('gateway@acme.example', verified);
      return mail;
    },
    result: {
      status: 'fail',
      message:
        'mailFrom needs its domain acme.example verified in Amazon SES in eu-west-1, but only the address gateway@acme.example is',
      action: 'Create the identity acme.example in SES, and its DNS records',
    },
  },
  {
    check: 'mail_identity',
    name: 'a domain with a default configuration set',
    prepare: () => {
      account.identities.set('acme.example', { ...verified, configurationSet: 'marketing' });
      return mail;
    },
    result: {
      status: 'warn',
      message:
        'The identity acme.example has the default configuration set marketing, with which Cognito may be refused to send',
      action: 'Remove the default configuration set of the identity, and sign up once to check',
    },
  },
  {
    check: 'mail_account',
    name: 'an account with production access',
    prepare: () => mail,
    result: { status: 'ok', message: 'Amazon SES sends to all addresses', action: null },
  },
  {
    check: 'mail_account',
    name: 'an account in the sandbox',
    prepare: () => {
      account.mail.hasProductionAccess = false;
      return mail;
    },
    result: {
      status: 'fail',
      message:
        'Amazon SES is in the sandbox in eu-west-1: e-mails reach verified addresses only, and the user pool may not be created',
      action: 'Request production access in the SES console',
    },
  },
  {
    check: 'mail_account',
    name: 'an account that may not send',
    prepare: () => {
      account.mail.isSendingEnabled = false;
      return mail;
    },
    result: {
      status: 'fail',
      message: 'Amazon SES has disabled sending for the account in eu-west-1',
      action: 'See the notices in the SES console',
    },
  },
  {
    check: 'api_log_role',
    name: 'a role of somebody else',
    prepare: () => {
      account.logRoleArn = 'arn:aws:iam::111122223333:role/api-logs';
      return undefined;
    },
    result: {
      status: 'warn',
      message:
        "The deployment replaces API Gateway's logging role arn:aws:iam::111122223333:role/api-logs for all APIs of the account in this region",
      action:
        'Other APIs then log with the role of the stack: keep it after "cdk destroy", or set the old one again with aws apigateway update-account',
    },
  },
  {
    check: 'api_log_role',
    name: 'the role of the stack itself',
    prepare: () => {
      account.logRoleArn = 'arn:aws:iam::111122223333:role/AiGateway-RestApiCloudWatchRole-1';
      addStack('CREATE_COMPLETE', [
        resource('AWS::IAM::Role', 'RestApiCloudWatchRole02A86EA0', 'AiGateway-RestApiCloudWatchRole-1'),
      ]);
      return undefined;
    },
    result: { status: 'ok', message: "API Gateway's logging role is that of the stack", action: null },
  },
  {
    check: 'bedrock',
    name: 'the provider bedrock',
    prepare: () => ({ providers: { bedrock: {} } }),
    result: {
      status: 'unknown',
      message:
        'Bedrock refuses models of third parties until somebody with aws-marketplace:Subscribe has called them, which the gateway cannot',
      action: 'As an administrator, call each such model once in the Bedrock playground',
    },
  },
];

describe('The checks of npm run preflight', () => {
  it.each(examples)('reports $name as $result.status', async ({ check, prepare, result }) => {
    expect(await resultOf(check, prepare() ?? {})).toEqual({ check, ...result });
  });

  it('includes every check', () => {
    const names = checks.map(({ name }) => name.replaceAll(' ', '_'));
    // Tested below.
    const withoutAccount = ['streaming'];
    expect([...new Set([...examples.map(({ check }) => check), ...withoutAccount])].sort()).toEqual(
      names.sort(),
    );
  });

  it.each([
    ['eu-central-1', 'ok'],
    ['eu-central-2', 'unknown'],
    ['mx-central-1', 'unknown'],
  ])('reports response streaming in %s as %s', async (region, status) => {
    expect(await resultOf('streaming', {}, '--region', region)).toMatchObject({ status });
  });

  const allSettings: GatewayConfig = { ...mail, chatConcurrency: 10 };
  const permissions = checks.flatMap(({ name, permissions: actions }) =>
    actions.map((action) => ({ check: name.replaceAll(' ', '_'), action, actions })),
  );

  it.each(permissions)('reports $check as unknown without $action', async ({ check, action, actions }) => {
    account.logRoleArn = 'arn:aws:iam::111122223333:role/api-logs';
    account.identities.set('acme.example', verified);
    addFailedStack(account, { id: stackId('AiGateway', 1), name: 'AiGateway' });
    account.stacks.push({
      id: stackId('AiGateway', 2),
      name: 'AiGateway',
      status: 'CREATE_COMPLETE',
      resources: [resource('AWS::Lambda::Function', 'ChatFunction0123ABCD', 'AiGateway-Chat')],
    });
    const [failed] = account.stacks;
    if (failed !== undefined) failed.status = 'DELETE_COMPLETE';
    account.denied.add(action);

    expect(await resultOf(check, allSettings)).toEqual({
      check,
      status: 'unknown',
      message: 'Your AWS identity may not read this',
      action: `Allow ${actions.join(', ')}, or check by hand`,
    });
  });

  it('needs no permission that docs/deploy.md does not name', async () => {
    const documentation = await readFile(join(import.meta.dirname, '../../../docs/deploy.md'), 'utf8');
    const missing = permissions.filter(({ action }) => !documentation.includes(`\`${action}\``));
    expect(missing.map(({ action }) => action)).toEqual([]);
  });

  it('requires the bootstrap version that the synthesized template requires', () => {
    const { Rules } = synthesizeGateway().template.toJSON();
    expect(Rules.CheckBootstrapVersion.Assertions[0].AssertDescription).toContain(
      `version ${requiredBootstrapVersion} required`,
    );
  });
});

describe('The settings of npm run preflight', () => {
  it('are those of -c config=FILE, relative to the directory in which npm was called', async () => {
    await writeSettings({ stackName: 'Staging' });
    const run = await runInAccount(
      account,
      (terminal) => runPreflight(['-c', 'config=gateway.config.json'], terminal),
      { ...credentials, AWS_REGION: 'eu-west-1', INIT_CWD: directory },
    );

    expect(run.stdout).toContain('There is no stack Staging: the deployment creates it\n');
  });

  it('include the qualifier of the CDK bootstrap', async () => {
    account.parameters.set('/cdk-bootstrap/acme/version', '7');
    const qualifier = (name: string) => ['-c', `@aws-cdk/core:bootstrapQualifier=${name}`];

    expect(await resultOf('bootstrap', {}, ...qualifier('acme'))).toMatchObject({
      message: "The CDK's bootstrap stack has version 7",
    });
    expect(await resultOf('bootstrap', {}, ...qualifier('other'))).toMatchObject({
      action: 'Run npx cdk bootstrap aws://111122223333/eu-west-1 --qualifier other',
    });
  });

  it('leave out the checks of what is not deployed', async () => {
    const { stdout } = await preflight({ dashboard: false, ...mail });
    expect(stdout).not.toMatch(/cloudfront|mail/);
  });

  it.each<[string, string[], number, string]>([
    [
      'a setting that does not exist',
      ['-c', 'monitoring=off'],
      1,
      'monitoring cannot be set with -c or in cdk.json: set it in gateway.config.ts, or in the file passed with -c config=FILE',
    ],
    ['a -c without a value', ['-c', 'config'], 2, '-c must be NAME=VALUE, such as config=staging.config.ts'],
    ['an unknown option', ['--stack', 'AiGateway'], 2, "unknown option '--stack' (see --help)"],
  ])('refuse %s', async (_, commandLine, exitCode, error) => {
    const result = await runInAccount(account, (terminal) => runPreflight(commandLine, terminal));
    expect(result).toEqual({ exitCode, stdout: '', stderr: `error: ${error}\n` });
    expect(account.calls).toEqual([]);
  });
});
