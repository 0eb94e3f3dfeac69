import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();
const certificate = 'arn:aws:acm:us-east-1:123456789012:certificate/1234-abcd';
const ownDomain = synthesizeGateway({
  dashboardDomain: 'gateway.acme.example',
  dashboardCertificateArn: certificate,
});

interface Behavior {
  TargetOriginId: string;
  [property: string]: unknown;
}

interface Configuration {
  DefaultCacheBehavior: Behavior;
  CacheBehaviors: Behavior[];
  Origins: { Id: string; [property: string]: unknown }[];
  [property: string]: unknown;
}

function configurationOf({ resource }: typeof gateway): Configuration {
  return resource('Dashboard/Site/Distribution').Properties.DistributionConfig as Configuration;
}

const { DefaultCacheBehavior, CacheBehaviors, Origins, ...configuration } = configurationOf(gateway);

function originOf({ TargetOriginId }: Behavior): Record<string, unknown> {
  const { DomainName, ...origin } = Origins.find(({ Id }) => Id === TargetOriginId) ?? { Id: 'none' };
  return { ...origin, domain: gateway.readable(DomainName) };
}

/** The ids of CloudFront's managed policies: https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/ */
const cachingOptimized = '658327ea-f89d-4fab-a63d-7e88639e58f6';
const cachingDisabled = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
const allViewerExceptHostHeader = 'b689b0a8-53d0-40ab-baf2-68738e2966ac';

describe('Distribution', () => {
  it('has no error pages, caches no errors, and has no access logs', () => {
    const errorStatuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

    expect(configuration).toEqual({
      CustomErrorResponses: errorStatuses.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
      Comment: 'Dashboard of the AI gateway',
      Enabled: true,
      HttpVersion: 'http2and3',
      IPV6Enabled: true,
    });
  });

  it('serves the page from the private bucket', () => {
    const {
      TargetOriginId: _,
      ResponseHeadersPolicyId,
      FunctionAssociations,
      ...rest
    } = DefaultCacheBehavior;

    expect(rest).toEqual({
      CachePolicyId: cachingOptimized,
      Compress: true,
      ViewerProtocolPolicy: 'redirect-to-https',
    });
    expect(gateway.readable(ResponseHeadersPolicyId)).toBe('Dashboard/Site/SecurityHeaders');
    expect(gateway.readableValues((FunctionAssociations as object[])[0])).toEqual({
      EventType: 'viewer-request',
      FunctionARN: 'Dashboard/Site/ViewerRequest.FunctionARN',
    });
    const origin = originOf(DefaultCacheBehavior);
    expect(origin).toMatchObject({
      domain: 'Dashboard/Page.RegionalDomainName',
      S3OriginConfig: { OriginAccessIdentity: '' },
    });
    expect(gateway.readable(origin.OriginAccessControlId)).toBe('Dashboard/Site/PageAccess.Id');
  });

  it('passes API calls on without caching or compression, to an origin that does not refer to the stage', () => {
    expect(CacheBehaviors).toHaveLength(1);
    const [behavior = DefaultCacheBehavior] = CacheBehaviors;
    const { TargetOriginId: Id, ResponseHeadersPolicyId, ...rest } = behavior;

    expect(rest).toEqual({
      PathPattern: '/dashboard/api/*',
      AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
      CachePolicyId: cachingDisabled,
      OriginRequestPolicyId: allViewerExceptHostHeader,
      Compress: false,
      ViewerProtocolPolicy: 'https-only',
    });
    expect(gateway.readable(ResponseHeadersPolicyId)).toBe('Dashboard/Site/SecurityHeaders');
    expect(originOf(behavior)).toEqual({
      Id,
      domain: 'RestApi/Api.execute-api.AWS::Region.AWS::URLSuffix',
      OriginPath: '/prod',
      CustomOriginConfig: {
        OriginProtocolPolicy: 'https-only',
        // The default quota: a stream may pause for as long.
        OriginReadTimeout: 120,
        OriginSSLProtocols: ['TLSv1.2'],
      },
    });
  });

  it('uses an own domain with TLS 1.2, everywhere', () => {
    expect(configurationOf(ownDomain)).toMatchObject({
      Aliases: ['gateway.acme.example'],
      ViewerCertificate: {
        AcmCertificateArn: certificate,
        MinimumProtocolVersion: 'TLSv1.2_2021',
        SslSupportMethod: 'sni-only',
      },
    });
    const { Environment } = ownDomain.resource('Dashboard/Session').Properties;
    expect(Environment).toMatchObject({
      Variables: { DASHBOARD_ORIGIN: 'https://gateway.acme.example' },
    });
    expect(ownDomain.resource('Dashboard/Client').Properties).toMatchObject({
      CallbackURLs: [
        'https://gateway.acme.example/dashboard/api/callback',
        'https://gateway.acme.example/account/security',
      ],
      LogoutURLs: ['https://gateway.acme.example/'],
    });
    const { DashboardUrl, DashboardDistributionDomain } = ownDomain.template.findOutputs('*');
    expect(DashboardUrl?.Value).toBe('https://gateway.acme.example');
    expect(ownDomain.readable(DashboardDistributionDomain?.Value)).toBe(
      'Dashboard/Site/Distribution.DomainName',
    );
  });

  it('names what CloudFront keeps in one list for all regions after the region', () => {
    const policy = gateway.resource('Dashboard/Site/SecurityHeaders').Properties.ResponseHeadersPolicyConfig;
    const access = gateway.resource('Dashboard/Site/PageAccess').Properties.OriginAccessControlConfig;
    const names = [policy, access].map((config) => gateway.readable((config as { Name: unknown }).Name));

    expect(names).toEqual(Array(2).fill(expect.stringMatching(/^AWS::Region-AiGatewayDashboardSite/)));
  });
});

describe('Security headers', () => {
  it('restricts the page to its own origin, without inline code and with Trusted Types', () => {
    const { ResponseHeadersPolicyConfig } = gateway.resource('Dashboard/Site/SecurityHeaders').Properties;

    expect(ResponseHeadersPolicyConfig).toMatchObject({
      SecurityHeadersConfig: {
        ContentSecurityPolicy: {
          ContentSecurityPolicy:
            "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
          Override: true,
        },
        ContentTypeOptions: { Override: true },
        ReferrerPolicy: { ReferrerPolicy: 'same-origin', Override: true },
        StrictTransportSecurity: { AccessControlMaxAgeSec: 31_536_000, Override: true },
      },
      CustomHeadersConfig: {
        Items: [
          { Header: 'cross-origin-opener-policy', Value: 'same-origin', Override: true },
          { Header: 'cross-origin-resource-policy', Value: 'same-origin', Override: true },
          {
            Header: 'permissions-policy',
            Value: 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
            Override: true,
          },
        ],
      },
    });
  });
});

describe('Viewer function', () => {
  const { FunctionCode, FunctionConfig } = gateway.resource('Dashboard/Site/ViewerRequest').Properties;
  const handler: (event: { request: { uri: string } }) => { uri: string } = new Function(
    `${FunctionCode}; return handler;`,
  )();

  it.each([
    ['/', '/index.html'],
    ['/account/security', '/index.html'],
    ['/models/gpt-4.1', '/index.html'],
    ['/people/eve@acme.example', '/index.html'],
    ['/assets', '/index.html'],
    ['/dashboard/api', '/index.html'],
    ['/assets/index-1a2b.js', '/assets/index-1a2b.js'],
  ])('serves %s as %s', (uri, expected) => {
    expect(FunctionConfig).toMatchObject({ Runtime: 'cloudfront-js-2.0' });
    expect(handler({ request: { uri } })).toEqual({ uri: expected });
  });
});
