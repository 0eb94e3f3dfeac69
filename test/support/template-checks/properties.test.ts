import { describe, expect, it } from 'vitest';
import { checkTemplate } from './check-template.ts';
import { findingsWith, fullTemplate, logicalId } from './planted-error.ts';

const table = logicalId('LogEntries');
const chat = logicalId('Chat/Function');
const url = logicalId('Chat/Function/Aliaslive/FunctionUrl');

it('finds nothing in the template of a gateway with most settings', async () => {
  expect(await checkTemplate(fullTemplate())).toEqual([]);
});

describe('checkProperties', () => {
  it.each([
    [
      'an unknown resource type',
      `${table}.Type`,
      'AWS::DynamoDB::Tables',
      `${table}.Type: AWS::DynamoDB::Tables is not a resource type: correct it`,
    ],
    [
      'a misspelled property',
      `${url}.Properties.InvokeMod`,
      'BUFFERED',
      `${url}.Properties.InvokeMod: is not a property: use one of AuthType, Cors, InvokeMode, Qualifier, TargetFunctionArn`,
    ],
    [
      'a misspelled property of a property',
      `${table}.Properties.StreamSpecification.ViewType`,
      'NEW_IMAGE',
      `${table}.Properties.StreamSpecification.ViewType: is not a property: use one of ResourcePolicy, StreamViewType, Tags`,
    ],
    [
      'a misspelled property in a list',
      `${table}.Properties.KeySchema.0.Name`,
      'id',
      `${table}.Properties.KeySchema[0].Name: is not a property: use one of AttributeName, KeyType`,
    ],
    [
      'a missing property',
      `${url}.Properties.AuthType`,
      undefined,
      `${url}.Properties.AuthType: is required: set it`,
    ],
    [
      'a missing property in a list',
      `${table}.Properties.KeySchema.0.KeyType`,
      undefined,
      `${table}.Properties.KeySchema[0].KeyType: is required: set it`,
    ],
    [
      'a number for a string',
      `${table}.Properties.KeySchema.0.KeyType`,
      1,
      `${table}.Properties.KeySchema[0].KeyType: is 1: set it to a string`,
    ],
    [
      'a string for a boolean',
      `${table}.Properties.DeletionProtectionEnabled`,
      'true',
      `${table}.Properties.DeletionProtectionEnabled: is "true": set it to true or false`,
    ],
    [
      'a fraction for an integer',
      `${chat}.Properties.MemorySize`,
      0.5,
      `${chat}.Properties.MemorySize: is 0.5: set it to an integer`,
    ],
    [
      'an object for a list',
      `${table}.Properties.KeySchema`,
      {},
      `${table}.Properties.KeySchema: is {}: set it to an array`,
    ],
    [
      'a value out of an enumeration',
      `${url}.Properties.AuthType`,
      'PUBLIC',
      `${url}.Properties.AuthType: is "PUBLIC": set it to one of AWS_IAM, NONE`,
    ],
    [
      'a read-only attribute',
      `${table}.Properties.Arn`,
      'arn',
      `${table}.Properties.Arn: is an attribute, which is read-only: remove it`,
    ],
  ])('finds %s', async (_, path, value, finding) => {
    expect(await findingsWith(path, value)).toEqual([finding]);
  });
});

describe('checkReferences', () => {
  it.each([
    [
      'a Ref to nothing',
      `${url}.Properties.Qualifier`,
      { Ref: 'Missing' },
      `${url}.Properties.Qualifier: there is no resource or parameter Missing: correct its name`,
    ],
    [
      'an attribute that does not exist',
      `${url}.Properties.Qualifier`,
      { 'Fn::GetAtt': [table, 'Name'] },
      `${url}.Properties.Qualifier: AWS::DynamoDB::Table ${table} has no attribute Name: use one of Arn, StreamArn`,
    ],
    [
      'an attribute of nothing',
      `${url}.Properties.Qualifier`,
      { 'Fn::GetAtt': 'Missing.Arn' },
      `${url}.Properties.Qualifier: there is no resource or parameter Missing: correct its name`,
    ],
    [
      'a substitution of nothing',
      `${url}.Properties.Qualifier`,
      { 'Fn::Sub': `\${AWS::Region}-\${Missing}` },
      `${url}.Properties.Qualifier: there is no resource or parameter Missing: correct its name`,
    ],
    [
      'a dependency on nothing',
      `${url}.DependsOn`,
      ['Missing'],
      `${url}.DependsOn: there is no resource Missing: correct its name`,
    ],
    [
      'a deletion policy that the type does not support',
      `${table}.DeletionPolicy`,
      'Snapshot',
      `${table}.DeletionPolicy: is Snapshot: set it to one of Delete, Retain, RetainExceptOnCreate`,
    ],
    [
      'a replacement policy that does not exist',
      `${table}.UpdateReplacePolicy`,
      'RetainExceptOnCreate',
      `${table}.UpdateReplacePolicy: is RetainExceptOnCreate: set it to one of Delete, Retain`,
    ],
  ])('finds %s', async (_, path, value, finding) => {
    expect(await findingsWith(path, value)).toEqual([finding]);
  });

  it('finds an output of nothing', async () => {
    const template = fullTemplate();
    template.Outputs = { Url: { Value: { 'Fn::GetAtt': [url, 'Url'] } } };

    expect(await checkTemplate(template)).toEqual([
      `Outputs.Url.Value: AWS::Lambda::Url ${url} has no attribute Url: use one of FunctionArn, FunctionUrl`,
    ]);
  });
});
