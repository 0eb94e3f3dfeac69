import { describe, expect, it } from 'vitest';
import { findBehavior, readDistribution } from '#local/cloudfront/distribution.ts';
import { apiOrigin, bucketOrigin, type DashboardOptions, dashboardResources } from '../dashboard-fixture.ts';
import { createStackFixture, restApi } from '../stack-fixture.ts';

const readWith = (options: DashboardOptions) =>
  readDistribution(createStackFixture({ ...restApi, ...dashboardResources(options) }));

describe('findBehavior', () => {
  const cachingDisabled = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
  const behavior = (PathPattern: string) => ({
    PathPattern,
    TargetOriginId: 'bucket',
    CachePolicyId: cachingDisabled,
  });
  const distribution = readWith({
    distribution: {
      CacheBehaviors: ['/api/v?/*', '/api/*', 'images/*.jpg', '/a.b'].map(behavior),
    },
  });

  it.each([
    ['/api/v1/keys', '/api/v?/*'],
    ['/api/v12/keys', '/api/*'],
    ['/api/', '/api/*'],
    ['/api', '*'],
    ['/API/keys', '*'],
    ['/images/a/b.jpg', 'images/*.jpg'],
    ['/images/a.jpg.png', '*'],
    ['/axb', '*'],
    ['/', '*'],
  ])('chooses the first behavior that matches: for %s, %s', (path, pathPattern) => {
    expect(findBehavior(distribution, path).pathPattern).toBe(pathPattern);
  });
});

describe('readDistribution', () => {
  const origins = (bucket: object, api: object = {}) => ({
    distribution: {
      Origins: [
        { ...bucketOrigin, ...bucket },
        { ...apiOrigin, ...api },
      ],
    },
  });

  it.each<[string, DashboardOptions, string]>([
    [
      'error responses',
      { distribution: { CustomErrorResponses: [{ ErrorCode: 404, ResponsePagePath: '/index.html' }] } },
      'Distribution.DistributionConfig.CustomErrorResponses has ResponsePagePath, which the local run does not emulate',
    ],
    [
      'Lambda@Edge',
      { defaultBehavior: { LambdaFunctionAssociations: [] } },
      'behavior * has LambdaFunctionAssociations, which the local run does not emulate',
    ],
    [
      'an unknown cache policy',
      { defaultBehavior: { CachePolicyId: '83da9c7e-98b4-4e11-a168-04f0df8e2c65' } },
      'behavior *: the local run supports the managed policies',
    ],
    [
      'a cached API',
      { apiBehavior: { CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6' } },
      'behavior /reports/*: the local run supports the managed policies',
    ],
    [
      'an API that gets other headers',
      { apiBehavior: { OriginRequestPolicyId: undefined } },
      'behavior /reports/*: the local run supports the managed policies',
    ],
    [
      'a function for viewer responses',
      { defaultBehavior: { FunctionAssociations: [{ EventType: 'viewer-response', FunctionARN: '' }] } },
      'behavior *: the local run supports a function for viewer requests only',
    ],
    [
      'CORS',
      { headersPolicy: { CorsConfig: {} } },
      'Headers.ResponseHeadersPolicyConfig has CorsConfig, which the local run does not emulate',
    ],
    [
      'an unknown security header',
      { headersPolicy: { SecurityHeadersConfig: { XSSProtection: { Override: true } } } },
      'SecurityHeadersConfig has XSSProtection, which the local run does not emulate',
    ],
    ['an origin shield', origins({ OriginShield: {} }), 'The origin bucket has OriginShield'],
    [
      'a public bucket',
      origins({ OriginAccessControlId: undefined }),
      'The origin bucket must be a bucket of the template, with an origin access control',
    ],
    [
      'an API of another stage',
      origins({}, { OriginPath: '/test' }),
      'The origin api must be the REST API of the template over HTTPS, with its stage as the origin path',
    ],
    [
      'a function of another runtime',
      { viewerFunction: 'import cf from "cloudfront";' },
      'Rewrite cannot be loaded: Cannot use import statement outside a module',
    ],
  ])('rejects %s', (_, options, message) => {
    expect(() => readWith(options)).toThrow(message);
  });
});
