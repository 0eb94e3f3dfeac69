import { describe, expect, it } from 'vitest';
import { decide, readRoleStatements, type Statement } from '#local/aws/policies.ts';
import { parseTemplate } from '#local/template/template.ts';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/Entries';

function allow(actions: string[], resources: string[]): Statement {
  return { effect: 'Allow', actions, resources };
}

describe('a decision', () => {
  it.each([
    ['the very action and resource', allow(['dynamodb:GetItem'], [table]), 'allowed'],
    ['an action in other case', allow(['DynamoDB:getitem'], [table]), 'allowed'],
    ['a wildcard in the action', allow(['dynamodb:Get*'], [table]), 'allowed'],
    [
      'a wildcard in the resource',
      allow(['dynamodb:GetItem'], ['arn:aws:dynamodb:*:table/Entr?es']),
      'allowed',
    ],
    ['another action', allow(['dynamodb:PutItem'], [table]), 'not granted'],
    ['an index of the table', allow(['dynamodb:GetItem'], [`${table}/index/*`]), 'not granted'],
    ['a table whose name goes on', allow(['dynamodb:GetItem'], [`${table}Old`]), 'not granted'],
    ['a dot, which is no wildcard', allow(['dynamodb.GetItem'], [table]), 'not granted'],
  ])('on %s', (_, statement, decision) => {
    expect(decide([statement], { action: 'dynamodb:GetItem', resource: table })).toBe(decision);
  });

  it('is a denial when any statement denies', () => {
    const statements: Statement[] = [
      allow(['*'], ['*']),
      { effect: 'Deny', actions: ['dynamodb:*'], resources: [`${table}*`] },
    ];

    expect(decide(statements, { action: 'dynamodb:GetItem', resource: table })).toBe('denied');
  });
});

describe('a role of a template', () => {
  const roleWith = (role: object, policies: Record<string, object> = {}) =>
    parseTemplate({
      stackName: 'S',
      template: {
        Resources: {
          Role: { Type: 'AWS::IAM::Role', Properties: role },
          ...Object.fromEntries(
            Object.entries(policies).map(([name, Properties]) => [
              name,
              { Type: 'AWS::IAM::Policy', Properties },
            ]),
          ),
        },
      },
    });
  const read = (template: ReturnType<typeof roleWith>) =>
    readRoleStatements(template, 'Role', (value) => value);
  const policy = (statement: object, role = 'Role') => ({
    PolicyDocument: { Statement: [statement] },
    Roles: [{ Ref: role }],
  });

  it('has its inline policies and those that are attached to it', () => {
    const template = roleWith(
      { Policies: [{ PolicyDocument: { Statement: { Effect: 'Allow', Action: 'a:A', Resource: 'x' } } }] },
      {
        Own: policy({ Effect: 'Deny', Action: ['b:B', 'b:C'], Resource: ['y'] }),
        Other: policy({ Effect: 'Allow', Action: '*', Resource: '*' }, 'OtherRole'),
      },
    );

    expect(read(template)).toEqual([
      { effect: 'Allow', actions: ['a:A'], resources: ['x'] },
      { effect: 'Deny', actions: ['b:B', 'b:C'], resources: ['y'] },
    ]);
  });

  it.each(['Condition', 'NotAction', 'NotResource'])('is refused when a policy has a %s', (field) => {
    const template = roleWith(
      {},
      { Own: policy({ Effect: 'Allow', Action: '*', Resource: '*', [field]: {} }) },
    );

    expect(() => read(template)).toThrow(
      `A policy of Role has a ${field}, which the local run does not evaluate`,
    );
  });

  it('may have managed policies that grant nothing which is emulated', () => {
    const basic = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';

    expect(read(roleWith({ ManagedPolicyArns: [basic] }))).toEqual([]);
    expect(() =>
      read(roleWith({ ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] })),
    ).toThrow('Role has the managed policy arn:aws:iam::aws:policy/AdministratorAccess');
  });
});
