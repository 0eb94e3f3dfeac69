import { beforeEach, describe, expect, it } from 'vitest';
import { runLeftovers } from '#cli/deployment/leftovers/program.ts';
import {
  addFailedStack,
  createAccount,
  type DeploymentAccount,
  type FakeStack,
  stackId,
} from '#test/support/aws/deployment-account/account.ts';
import { runInAccount } from '#test/support/aws/deployment-account/run-command.ts';

let account: DeploymentAccount;
beforeEach(() => {
  account = createAccount();
});

const leftovers = (...options: string[]) =>
  runInAccount(account, (terminal) => runLeftovers(['--stack', 'AiGateway', ...options], terminal));

function addFailed(number = 1, name = 'AiGateway'): FakeStack {
  addFailedStack(account, { id: stackId(name, number), name });
  const stack = account.stacks.at(-1);
  if (stack === undefined) throw new Error('The account has no stack');
  return stack;
}

const table = 'AiGateway-Directory98167B95-1';
const pool = 'eu-west-1_Pool1';
const queue = 'https://sqs.eu-west-1.amazonaws.com/111122223333/AiGateway-LostEntries-1';
const secret = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:ProviderSecretB148C1D8-1';
const logGroup = 'AiGateway-ChatFunctionLogGroup5BD7BC05-1';
const roleLine =
  'kept: AWS::IAM::Role AiGateway-RestApiCloudWatchRole-1: other APIs of the account may log with this role\n';

/** Names of all resources that still exist in the account. */
function remaining(): string[] {
  const secrets = [...account.secrets].filter(([, { isDeleted }]) => !isDeleted).map(([arn]) => arn);
  const { tables, userPools, queues, logGroups } = account;
  return [...tables.keys(), ...userPools.keys(), ...queues.keys(), ...secrets, ...logGroups.keys()];
}

const all = [table, pool, queue, secret, logGroup];
const changing = (calls: string[]) => calls.filter((call) => !/:(Describe|List|Get|Scan)/.test(call));

describe('npm run leftovers', () => {
  it('lists the resources that a failed stack has left, with their contents, and changes nothing', async () => {
    addFailed();
    account.tables.set(table, { items: 3, isProtected: true });

    expect(await leftovers()).toEqual({
      exitCode: 0,
      stdout: `Stack AiGateway in eu-west-1 (AWS_REGION): ROLLBACK_COMPLETE
${roleLine}RESOURCE    ID                                                                              CONTENTS
table       ${table}                                                   has items
user pool   ${pool}                                                                 empty
queue       ${queue}        empty
secret      ${secret}   empty
log group   ${logGroup}                                        empty
4 of 5 can be removed: npm run leftovers -- --stack AiGateway --region eu-west-1 --remove
`,
      stderr: '',
    });
    expect(changing(account.calls)).toEqual([]);
  });

  it('removes resources without data, their deletion protection and the domain of the user pool before', async () => {
    addFailed();

    expect(await leftovers('--remove')).toEqual({
      exitCode: 0,
      stdout: `Stack AiGateway in eu-west-1 (AWS_REGION): ROLLBACK_COMPLETE
${roleLine}removed: table ${table}
removed: user pool ${pool}
removed: queue ${queue}
removed: secret ${secret}
removed: log group ${logGroup}
All 5 are removed
`,
      stderr: '',
    });
    expect(remaining()).toEqual([]);
    expect(changing(account.calls)).toEqual([
      ...['dynamodb:UpdateTable', 'dynamodb:DeleteTable'],
      ...['cognito-idp:UpdateUserPool', 'cognito-idp:DeleteUserPoolDomain', 'cognito-idp:DeleteUserPool'],
      ...['sqs:DeleteQueue', 'secretsmanager:DeleteSecret', 'logs:DeleteLogGroup'],
    ]);
  });

  it('leaves the resources of stacks with another name alone', async () => {
    addFailed(1, 'AiGateway-Test').status = 'DELETE_COMPLETE';

    expect((await leftovers('--remove')).stdout).toBe(
      'Stack AiGateway in eu-west-1 (AWS_REGION): does not exist\nNo resources of former stacks remain\n',
    );
    expect(remaining()).toHaveLength(5);
  });

  it.each<[string, string, () => void]>([
    [`table ${table}: has items`, table, () => account.tables.set(table, { items: 1, isProtected: true })],
    [
      `user pool ${pool}: has users`,
      pool,
      () => account.userPools.set(pool, { users: 1, isProtected: true, domain: null }),
    ],
    ...(['visible', 'inFlight', 'delayed'] as const).map<[string, string, () => void]>((field) => [
      `queue ${queue}: has messages`,
      queue,
      () => account.queues.set(queue, { visible: 0, inFlight: 0, delayed: 0, [field]: 1 }),
    ]),
    [
      `secret ${secret}: has credentials`,
      secret,
      () => account.secrets.set(secret, { value: '{"openai":{"api_key":"sk-1"}}', isDeleted: false }),
    ],
    [
      `log group ${logGroup}: has log streams`,
      logGroup,
      () => account.logGroups.set(logGroup, ['2026/01/01/[1]x']),
    ],
  ])('refuses to remove what holds data (%s), and removes the rest', async (line, id, addData) => {
    addFailed();
    addData();

    const { exitCode, stdout, stderr } = await leftovers('--remove');

    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        'error: 1 of 5 resources remain: "Failed deployments and removal" in docs/deploy.md explains how to delete data\n',
    });
    expect(stdout).toContain(`refused: ${line}\n`);
    expect(stdout).not.toContain('sk-1');
    expect(remaining()).toEqual([id]);
    expect([...account.tables.values()].map(({ isProtected }) => isProtected)).toEqual(
      id === table ? [true] : [],
    );
  });

  it.each([
    ['dynamodb:Scan', 'table', table],
    ['cognito-idp:ListUsers', 'user pool', pool],
    ['secretsmanager:GetSecretValue', 'secret', secret],
    ['logs:DescribeLogStreams', 'log group', logGroup],
  ])('refuses to remove what it cannot check, without %s', async (action, kind, id) => {
    addFailed();
    account.denied.add(action);

    const { exitCode, stdout } = await leftovers('--remove');

    expect(exitCode).toBe(1);
    expect(stdout).toContain(`refused: ${kind} ${id}: cannot be checked: AccessDeniedException: User: `);
    expect(stdout).toContain(`is not authorized to perform: ${action} `);
    expect(remaining()).toEqual([id]);
  });

  it.each([
    'cloudformation:DescribeStacks',
    'cloudformation:ListStacks',
    'cloudformation:ListStackResources',
    'cloudformation:DescribeStackResources',
    'sqs:GetQueueAttributes',
  ])('removes nothing if it cannot tell what belongs to a stack, without %s', async (action) => {
    addFailed();
    account.denied.add(action);

    const { exitCode, stderr } = await leftovers('--remove');

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^error: AccessDenied(Exception)?: User: .* is not authorized to perform: ${action} `),
    );
    expect(remaining()).toEqual(all);
  });

  it('goes on after a removal that failed, and ends it when it is run again', async () => {
    addFailed();
    account.denied.add('dynamodb:DeleteTable').add('cognito-idp:DeleteUserPool');
    const first = await leftovers('--remove');
    expect(first.exitCode).toBe(1);
    expect(first.stdout).toContain(`failed: table ${table}: AccessDeniedException: User: `);
    expect(remaining()).toEqual([table, pool]);

    account.denied.clear();
    const second = await leftovers('--remove');

    expect(second.exitCode).toBe(0);
    expect(second.stdout).toContain('All 2 are removed\n');
    expect(remaining()).toEqual([]);
  });

  it('finds the leftovers of several stacks that were deleted, one after the other', async () => {
    for (const number of [1, 2, 3]) addFailed(number).status = 'DELETE_COMPLETE';

    expect((await leftovers('--remove')).stdout).toContain('All 15 are removed\n');
    expect(remaining()).toEqual([]);
  });

  it('keeps the resources of a deleted stack that were imported into the stack of today', async () => {
    addFailed().status = 'DELETE_COMPLETE';
    const resources = account.stacks[0]?.resources.map((resource) => ({
      ...resource,
      status: 'IMPORT_COMPLETE',
    }));
    account.stacks.push({
      id: stackId('AiGateway', 2),
      name: 'AiGateway',
      status: 'IMPORT_COMPLETE',
      resources: resources ?? [],
    });

    expect(await leftovers('--remove')).toEqual({
      exitCode: 0,
      stdout:
        'Stack AiGateway in eu-west-1 (AWS_REGION): IMPORT_COMPLETE\nNo resources of former stacks remain\n',
      stderr: '',
    });
    expect(remaining()).toEqual(all);
  });

  it('keeps the resources of a deleted stack that were imported into a stack of another name', async () => {
    const former = addFailed();
    former.status = 'DELETE_COMPLETE';
    const imported = former.resources.filter(({ physicalId }) => physicalId === table);
    account.stacks.push({
      id: stackId('Production', 2),
      name: 'Production',
      status: 'UPDATE_COMPLETE',
      resources: imported.map((resource) => ({ ...resource, status: 'UPDATE_COMPLETE' })),
    });

    const { exitCode, stdout } = await leftovers('--remove');

    expect(exitCode).toBe(0);
    expect(stdout).toContain(`kept: AWS::DynamoDB::Table ${table}: belongs to the stack Production\n`);
    expect(remaining()).toEqual([table]);
  });

  it('leaves the resources of a healthy stack alone, and removes those of a former one of its name', async () => {
    addFailed(1).status = 'DELETE_COMPLETE';
    const healthy = addFailed(2);
    healthy.status = 'UPDATE_COMPLETE';

    expect((await leftovers('--remove')).exitCode).toBe(0);
    expect(remaining()).toEqual(all.map((id) => id.replace(/1$/, '2')));
  });

  it.each(['CREATE_IN_PROGRESS', 'REVIEW_IN_PROGRESS', 'DELETE_IN_PROGRESS'])(
    'removes nothing while the stack is %s',
    async (status) => {
      addFailed(1).status = 'DELETE_COMPLETE';
      account.stacks.push({ id: stackId('AiGateway', 2), name: 'AiGateway', status, resources: [] });

      const { exitCode, stderr } = await leftovers('--remove');

      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: `error: Stack "AiGateway" is ${status}: wait until CloudFormation has finished, then run the command again\n`,
      });
      expect(remaining()).toEqual(all);
    },
  );

  it('removes resources that made the deletion of the stack fail', async () => {
    const stack = addFailed();
    stack.status = 'DELETE_FAILED';
    for (const resource of stack.resources) resource.status = 'DELETE_FAILED';
    stack.resources.push({
      type: 'AWS::S3::Bucket',
      logicalId: 'Page',
      physicalId: 'page-bucket',
      status: 'DELETE_FAILED',
    });

    const { exitCode, stdout } = await leftovers('--remove');

    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      'kept: AWS::S3::Bucket page-bucket: this command does not remove resources of this type\n',
    );
    expect(remaining()).toEqual([]);
  });

  it.each([
    ['ExpiredToken', 'The AWS credentials have expired. Sign in again, for example with "aws sso login"'],
  ])('names the fix for credentials that AWS refuses with %s', async (code, message) => {
    account.credentialError = code;

    expect(await leftovers()).toEqual({ exitCode: 1, stdout: '', stderr: `error: ${message}\n` });
  });

  it.each([
    ['no stack', [], "required option '--stack <name>' not specified (see --help)"],
    ['an invalid name', ['--stack', 'a b'], '--stack must be the name of a CloudFormation stack'],
    ['an empty region', ['--stack', 'AiGateway', '--region', ''], '--region must not be empty'],
  ])('refuses a command line with %s', async (_, commandLine, error) => {
    const result = await runInAccount(account, (terminal) => runLeftovers(commandLine, terminal));
    expect(result).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${error}\n` });
  });
});
