import { describe, expect, it } from 'vitest';
import { hostedFunctions } from '#local/template/template.ts';
import { createStackFixture, restApi } from '../stack-fixture.ts';

const stackUuid = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };

const resources = {
  ...restApi,
  Distribution: {
    Type: 'AWS::CloudFront::Distribution',
    Properties: { DistributionConfig: { Aliases: ['keys.acme.example'] } },
  },
  UserPool: { Type: 'AWS::Cognito::UserPool' },
  Client: { Type: 'AWS::Cognito::UserPoolClient' },
  Domain: {
    Type: 'AWS::Cognito::UserPoolDomain',
    Properties: {
      Domain: { 'Fn::Join': ['-', ['gateway', { 'Fn::Select': [0, { 'Fn::Split': ['-', stackUuid] }] }]] },
    },
  },
  Page: { Type: 'AWS::S3::Bucket' },
};

const { resolve } = createStackFixture(resources);
const attribute = (...path: string[]) => ({ 'Fn::GetAtt': path });
const join = (...parts: unknown[]) => ({ 'Fn::Join': ['', parts] });

describe('References to the dashboard', () => {
  it.each([
    [
      'the domain of the distribution',
      attribute('Distribution', 'DomainName'),
      'distribution.cloudfront.net',
    ],
    ['the user pool', { Ref: 'UserPool' }, 'us-east-1_local'],
    [
      'the ARN of the user pool',
      attribute('UserPool', 'Arn'),
      'arn:aws:cognito-idp:us-east-1:000000000000:userpool/us-east-1_local',
    ],
    [
      'the name of the issuer',
      attribute('UserPool', 'ProviderName'),
      'cognito-idp.us-east-1.amazonaws.com/us-east-1_local',
    ],
    ['the issuer', attribute('UserPool', 'ProviderURL'), 'http://localhost:3003'],
    ['the client', { Ref: 'Client' }, 'Client'],
    ['the domain prefix', { Ref: 'Domain' }, 'gateway-00000000'],
    ['the bucket', { Ref: 'Page' }, 'fixture-page'],
    [
      'the domain of the bucket',
      attribute('Page', 'RegionalDomainName'),
      'fixture-page.s3.us-east-1.amazonaws.com',
    ],
  ])('resolve to local values: %s', (_, value, resolved) => {
    expect(resolve(value)).toBe(resolved);
  });
});

describe('Origins in strings', () => {
  const dashboard = join('https://', attribute('Distribution', 'DomainName'));
  const apiHost = join({ Ref: 'Api' }, '.execute-api.', { Ref: 'AWS::Region' }, '.', {
    Ref: 'AWS::URLSuffix',
  });
  const signIn = join('https://', { Ref: 'Domain' }, '.auth.', { Ref: 'AWS::Region' }, '.amazoncognito.com');

  it.each([
    ['the distribution', dashboard, 'http://127.0.0.1:3002'],
    [
      'a callback URL',
      join(dashboard, '/dashboard/api/callback'),
      'http://127.0.0.1:3002/dashboard/api/callback',
    ],
    ['a domain of its own', 'https://keys.acme.example', 'http://127.0.0.1:3002'],
    [
      'the REST API with its stage',
      join('https://', apiHost, '/prod/ai/models'),
      'http://127.0.0.1:3000/ai/models',
    ],
    ['managed login', join(signIn, '/oauth2/token'), 'http://localhost:3003/oauth2/token'],
    [
      'several origins at any depth',
      { list: [join('connect-src ', dashboard, ' ', signIn)], other: 1 },
      { list: ['connect-src http://127.0.0.1:3002 http://localhost:3003'], other: 1 },
    ],
  ])('are replaced by the local ones: %s', (_, value, resolved) => {
    expect(resolve(value)).toEqual(resolved);
  });

  it.each([
    'https://keys.acme.example.com/',
    'https://keys.acme.example:8443',
    'https://my-keys.acme.example',
    'keys.acme.example',
    'https://Api.execute-api.us-east-1.amazonaws.com/production',
    'https://Api.execute-api.us-east-1.amazonaws.com',
  ])('are not replaced within other values: %s', (value) => {
    expect(resolve(value)).toBe(value);
  });

  it('can be those of a domain that the user pool owns', () => {
    const domain = {
      Type: 'AWS::Cognito::UserPoolDomain',
      Properties: { Domain: 'login.acme.example', CustomDomainConfig: {} },
    };

    expect(createStackFixture({ Domain: domain }).resolve('https://login.acme.example/logout')).toBe(
      'http://localhost:3003/logout',
    );
  });
});

describe('hostedFunctions', () => {
  it('leaves out the functions of custom resources', () => {
    const { template } = createStackFixture({
      Chat: { Type: 'AWS::Lambda::Function' },
      Uploader: { Type: 'AWS::Lambda::Function' },
      Cleaner: { Type: 'AWS::Lambda::Function' },
      Upload: {
        Type: 'Custom::CDKBucketDeployment',
        Properties: { ServiceToken: attribute('Uploader', 'Arn') },
      },
      Clean: {
        Type: 'Custom::S3AutoDeleteObjects',
        Properties: { ServiceToken: attribute('Cleaner', 'Arn') },
      },
    });

    expect(hostedFunctions(template).map(({ logicalId }) => logicalId)).toEqual(['Chat']);
  });
});
