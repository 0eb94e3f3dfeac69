/** A distribution with a bucket, in the form that the CDK synthesizes. The REST API is the one of the template fixture. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface DashboardOptions {
  /** Properties that override those of `DistributionConfig`. */
  distribution?: Record<string, unknown>;
  defaultBehavior?: Record<string, unknown>;
  apiBehavior?: Record<string, unknown>;
  viewerFunction?: string;
  headersPolicy?: Record<string, unknown>;
  /** Properties that override those of the two deployments. */
  assets?: Record<string, unknown>;
  page?: Record<string, unknown>;
}

export const contentSecurityPolicy = "default-src 'none'; script-src 'self'";

const rewriteToPage = `function handler(event) {
  const { request } = event;
  if (!request.uri.startsWith('/assets/')) request.uri = '/index.html';
  return request;
}`;

const securityHeaders = {
  ContentSecurityPolicy: { ContentSecurityPolicy: contentSecurityPolicy, Override: true },
  ContentTypeOptions: { Override: true },
  FrameOptions: { FrameOption: 'DENY', Override: true },
  ReferrerPolicy: { ReferrerPolicy: 'same-origin', Override: true },
  StrictTransportSecurity: { AccessControlMaxAgeSec: 63_072_000, IncludeSubdomains: true, Override: true },
};

export function dashboardResources(options: DashboardOptions = {}): Record<string, unknown> {
  return {
    Bucket: { Type: 'AWS::S3::Bucket' },
    BucketPolicy: { Type: 'AWS::S3::BucketPolicy', Properties: { Bucket: { Ref: 'Bucket' } } },
    AccessControl: { Type: 'AWS::CloudFront::OriginAccessControl' },
    Rewrite: {
      Type: 'AWS::CloudFront::Function',
      Properties: {
        Name: 'Rewrite',
        AutoPublish: true,
        FunctionCode: options.viewerFunction ?? rewriteToPage,
        FunctionConfig: { Comment: 'Rewrite', Runtime: 'cloudfront-js-2.0' },
      },
    },
    Headers: {
      Type: 'AWS::CloudFront::ResponseHeadersPolicy',
      Properties: {
        ResponseHeadersPolicyConfig: {
          Name: 'Headers',
          CustomHeadersConfig: {
            Items: [{ Header: 'Cross-Origin-Opener-Policy', Value: 'same-origin', Override: true }],
          },
          SecurityHeadersConfig: securityHeaders,
          ...options.headersPolicy,
        },
      },
    },
    Distribution: {
      Type: 'AWS::CloudFront::Distribution',
      Properties: { DistributionConfig: distributionConfig(options) },
    },
    ...deployments(options),
  };
}

function distributionConfig({ distribution, defaultBehavior, apiBehavior }: DashboardOptions) {
  return {
    Enabled: true,
    HttpVersion: 'http2',
    IPV6Enabled: true,
    DefaultRootObject: 'index.html',
    CacheBehaviors: [
      {
        AllowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        Compress: true,
        OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
        PathPattern: '/reports/*',
        ResponseHeadersPolicyId: { Ref: 'Headers' },
        TargetOriginId: 'api',
        ViewerProtocolPolicy: 'https-only',
        ...apiBehavior,
      },
    ],
    DefaultCacheBehavior: {
      CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6',
      Compress: true,
      FunctionAssociations: [
        { EventType: 'viewer-request', FunctionARN: { 'Fn::GetAtt': ['Rewrite', 'FunctionARN'] } },
      ],
      ResponseHeadersPolicyId: { Ref: 'Headers' },
      TargetOriginId: 'bucket',
      ViewerProtocolPolicy: 'redirect-to-https',
      ...defaultBehavior,
    },
    Origins: [bucketOrigin, apiOrigin],
    ...distribution,
  };
}

export const bucketOrigin = {
  DomainName: { 'Fn::GetAtt': ['Bucket', 'RegionalDomainName'] },
  Id: 'bucket',
  OriginAccessControlId: { 'Fn::GetAtt': ['AccessControl', 'Id'] },
  S3OriginConfig: { OriginAccessIdentity: '' },
};

export const apiOrigin = {
  CustomOriginConfig: {
    OriginProtocolPolicy: 'https-only',
    OriginReadTimeout: 60,
    OriginSSLProtocols: ['TLSv1.2'],
  },
  DomainName: {
    'Fn::Join': ['.', [{ Ref: 'Api' }, 'execute-api', { Ref: 'AWS::Region' }, { Ref: 'AWS::URLSuffix' }]],
  },
  Id: 'api',
  OriginPath: '/prod',
};

/** The uploader is a function in Python, with a managed policy that the local run does not know. */
function deployments({ assets, page }: DashboardOptions) {
  const uploader = { 'Fn::GetAtt': ['Uploader', 'Arn'] };
  const deployment = (properties: Record<string, unknown>) => ({
    Type: 'Custom::CDKBucketDeployment',
    Properties: {
      ServiceToken: uploader,
      SourceBucketNames: [{ 'Fn::Sub': `assets-\${AWS::AccountId}` }],
      SourceObjectKeys: ['page.zip'],
      DestinationBucketName: { Ref: 'Bucket' },
      Prune: false,
      ...properties,
    },
  });
  return {
    UploaderRole: {
      Type: 'AWS::IAM::Role',
      Properties: { ManagedPolicyArns: ['arn:aws:iam::aws:policy/Unknown'] },
    },
    Uploader: {
      Type: 'AWS::Lambda::Function',
      Properties: { Runtime: 'python3.13', Role: { 'Fn::GetAtt': ['UploaderRole', 'Arn'] } },
    },
    UploadAssets: deployment({
      Exclude: ['*'],
      Include: ['assets/*'],
      SystemMetadata: { 'cache-control': 'public, max-age=31536000, immutable' },
      ...assets,
    }),
    UploadPage: deployment({
      Exclude: ['assets/*'],
      SystemMetadata: { 'cache-control': 'no-cache' },
      ...page,
    }),
  };
}

/** Contents of the built page by path. */
export const pageFiles: Record<string, string> = {
  'index.html': '<!doctype html><title>Dashboard</title><script src="/assets/app-1.js"></script>',
  'assets/app-1.js': `// ${'A script of more than a thousand bytes. '.repeat(40)}\n`,
  'assets/small-2.js': 'export {};\n',
  'assets/inter-3.woff2': 'font'.repeat(500),
};

/** Returns a new directory with the built page. */
export function writePage(): string {
  const directory = mkdtempSync(join(tmpdir(), 'page-'));
  for (const [path, content] of Object.entries(pageFiles)) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return directory;
}
