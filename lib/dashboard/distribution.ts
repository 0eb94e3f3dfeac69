/** The domain of the dashboard: the page, and below `/dashboard/api/` the functions of the dashboard. */

import { Aws, Duration, Names, Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginRequestPolicy,
  S3OriginAccessControl,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { GatewayRestApi } from '../api/rest-api.ts';
import type { Settings } from '../settings/settings.ts';
import { SecurityHeaders } from './security-headers.ts';

interface DashboardDistributionProps {
  settings: Settings;
  page: Bucket;
  restApi: GatewayRestApi;
}

/**
 * The page itself routes all other paths, which may contain dots, such as those with a model's name. Error responses of
 * the distribution could not do this: they would also replace the API's own errors by the page.
 */
const viewerFunctionCode = `function handler(event) {
  const request = event.request;
  if (!request.uri.startsWith('/assets/')) request.uri = '/index.html';
  return request;
}
`;

/**
 * CloudFront caches responses with these statuses for ten seconds by default, also where it caches nothing else. One
 * user's error would reach the others, since the cache does not tell sessions apart.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/HTTPStatusCodes.html
 */
const errorStatuses = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

const acknowledgements = [
  {
    id: 'AwsSolutions-CFR1',
    reason: 'The gateway does not know from which countries its people work.',
  },
  {
    id: 'AwsSolutions-CFR2',
    reason:
      'A web ACL has a monthly price. The page is static, and its API throttled. An operator can associate one with the distribution.',
  },
  {
    id: 'AwsSolutions-CFR3',
    reason:
      'The access log of the REST API has all requests to the API. Requests for the public page are not stored.',
  },
];

const defaultCertificateAcknowledgement = {
  id: 'AwsSolutions-CFR4',
  reason:
    "CloudFront's own certificate allows TLS 1.0. With the settings dashboardDomain and dashboardCertificateArn, the minimum is TLS 1.2.",
};

const apiPaths = '/dashboard/api/*';

export class DashboardDistribution extends Construct {
  /** Without a trailing slash. */
  readonly origin: string;
  readonly distribution: Distribution;

  constructor(scope: Construct, id: string, props: DashboardDistributionProps) {
    super(scope, id);
    const { dashboardDomain } = props.settings;
    const responseHeadersPolicy = new SecurityHeaders(this, 'SecurityHeaders');
    this.distribution = new Distribution(this, 'Distribution', {
      comment: 'Dashboard of the AI gateway',
      httpVersion: HttpVersion.HTTP2_AND_3,
      defaultBehavior: { ...this.pageBehavior(props.page), responseHeadersPolicy },
      additionalBehaviors: { [apiPaths]: { ...apiBehavior(props.restApi), responseHeadersPolicy } },
      errorResponses: errorStatuses.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      ...this.ownDomain(props.settings),
    });
    this.origin = `https://${dashboardDomain ?? this.distribution.distributionDomainName}`;
    Validations.of(this).acknowledge(...acknowledgements);
    if (dashboardDomain === null) Validations.of(this).acknowledge(defaultCertificateAcknowledgement);
  }

  private pageBehavior(page: Bucket): BehaviorOptions {
    const viewerRequest = new EdgeFunction(this, 'ViewerRequest', {
      comment: 'Serves the page for every path but its assets',
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(viewerFunctionCode),
    });
    const originAccessControl = new S3OriginAccessControl(this, 'PageAccess', {
      // As for the security headers: unique among the regions. At most 64 characters.
      originAccessControlName: `${Aws.REGION}-${Names.uniqueResourceName(this, { maxLength: 45 })}`,
    });
    return {
      origin: S3BucketOrigin.withOriginAccessControl(page, { originAccessControl }),
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      // Keeps a file that is `no-cache` for a second, its minimum, so a new page needs no invalidation:
      // https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/using-managed-cache-policies.html
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      functionAssociations: [{ eventType: FunctionEventType.VIEWER_REQUEST, function: viewerRequest }],
    };
  }

  /** CloudFront does not accept a minimum protocol version for its own certificate. */
  private ownDomain({ dashboardDomain, dashboardCertificateArn }: Settings) {
    if (dashboardDomain === null || dashboardCertificateArn === null) return {};
    return {
      domainNames: [dashboardDomain],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', dashboardCertificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
    };
  }
}

/** The default quota. The model of a test request may be silent for as long. */
const readTimeout = Duration.seconds(120);

/**
 * Passes responses on as they arrive, of which some are streams. Does not redirect from HTTP: the page, which calls it,
 * was already redirected.
 */
function apiBehavior({ host, originPath }: GatewayRestApi): BehaviorOptions {
  return {
    origin: new HttpOrigin(host, { originPath, readTimeout }),
    viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    allowedMethods: AllowedMethods.ALLOW_ALL,
    cachePolicy: CachePolicy.CACHING_DISABLED,
    compress: false,
    // API Gateway finds the API by the host name.
    originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
  };
}
