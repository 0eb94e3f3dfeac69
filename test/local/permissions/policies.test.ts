import { describe, expect, it } from 'vitest';
import { decide, readRoleStatements, type Statement } from '#local/permissions/policies.ts';
import { parseTemplate } from '#local/template/template.ts';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/Entries';

function allow(actions: string[], resources: string[]): Statement {
  return { effect: 'Allow', actions, resources };
}

describe('decide', () => {
  it.each([
    ['allow', 'the same action and resource', allow(['dynamodb:GetItem'], [table])],
    ['allow', 'an action in different case', allow(['DynamoDB:getitem'], [table])],
    ['allow', 'a wildcard in the action', allow(['dynamodb:Get*'], [table])],
    [
      'allow',
      'a wildcard in the resource',
      allow(['dynamodb:GetItem'], ['arn:aws:dynamodb:*:table/Entr?es']),
    ],
    ['implicit deny', 'another action', allow(['dynamodb:PutItem'], [table])],
    ['implicit deny', 'an index of the table', allow(['dynamodb:GetItem'], [`${table}/index/*`])],
    ['implicit deny', 'a table with a longer name', allow(['dynamodb:GetItem'], [`${table}Old`])],
    ['implicit deny', 'a dot, which is not a wildcard', allow(['dynamodb.GetItem'], [table])],
  ])('returns %s for a statement with %s', (decision, _, statement) => {
    expect(decide([statement], { action: 'dynamodb:GetItem', resource: table })).toBe(decision);
  });

  it('lets an explicit deny override an allow', () => {
    const statements: Statement[] = [
      allow(['*'], ['*']),
      { effect: 'Deny', actions: ['dynamodb:*'], resources: [`${table}*`] },
    ];

    expect(decide(statements, { action: 'dynamodb:GetItem', resource: table })).toBe('explicit deny');
  });
});

describe('readRoleStatements', () => {
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

  it('reads inline and attached policies', () => {
    const template = roleWith(
      { Policies: [{ PolicyDocument: { Statement: { Effect: 'Allow', Action: 'a:A', Resource: 'x' } } }] },
      {
        Attached: policy({ Effect: 'Deny', Action: ['b:B', 'b:C'], Resource: ['y'] }),
        Other: policy({ Effect: 'Allow', Action: '*', Resource: '*' }, 'OtherRole'),
      },
    );

    expect(read(template)).toEqual([
      { effect: 'Allow', actions: ['a:A'], resources: ['x'] },
      { effect: 'Deny', actions: ['b:B', 'b:C'], resources: ['y'] },
    ]);
  });

  it.each(['Condition', 'NotAction', 'NotResource'])('rejects a policy with %s', (field) => {
    const template = roleWith(
      {},
      { Attached: policy({ Effect: 'Allow', Action: '*', Resource: '*', [field]: {} }) },
    );

    expect(() => read(template)).toThrow(
      `A policy of Role has a ${field}, which the local run does not evaluate`,
    );
  });

  it('accepts only managed policies that grant no emulated action', () => {
    const basic = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';

    expect(read(roleWith({ ManagedPolicyArns: [basic] }))).toEqual([]);
    expect(() =>
      read(roleWith({ ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] })),
    ).toThrow('Role has the managed policy arn:aws:iam::aws:policy/AdministratorAccess');
  });
});
