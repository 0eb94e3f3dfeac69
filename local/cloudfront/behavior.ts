import { LocalGatewayError } from '../local-gateway-error.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { assertSupportedProperties } from '../template/supported-properties.ts';
import { resourcesOfType } from '../template/template.ts';
import { asArray, asList, asObject, asString, type JsonObject } from '../untyped-json.ts';
import type { Origin } from './origins.ts';
import { type HeadersPolicy, noHeadersPolicy, readHeadersPolicy } from './response-headers-policy.ts';
import { loadViewerFunction, type ViewerFunction } from './viewer-function.ts';

export interface Behavior {
  /** With the wildcards `*` and `?`. */
  pathPattern: string;
  allowedMethods: readonly string[];
  /** Whether text is compressed on the fly. */
  compresses: boolean;
  viewerFunction: ViewerFunction | undefined;
  headersPolicy: HeadersPolicy;
  origin: Origin;
}

const supportedProperties = [
  'AllowedMethods',
  'CachePolicyId',
  'CachedMethods',
  'Compress',
  'FunctionAssociations',
  'OriginRequestPolicyId',
  'PathPattern',
  'ResponseHeadersPolicyId',
  'TargetOriginId',
  'ViewerProtocolPolicy',
];

/** https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/using-managed-cache-policies.html */
const cachingOptimized = '658327ea-f89d-4fab-a63d-7e88639e58f6';
const cachingDisabled = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';

/** https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/using-managed-origin-request-policies.html */
const allViewerExceptHostHeader = 'b689b0a8-53d0-40ab-baf2-68738e2966ac';

interface Sources {
  stack: Pick<LocalStack, 'template' | 'resolve'>;
  origins: ReadonlyMap<string, Origin>;
  /** Prefix of error messages. */
  where: string;
}

/** `properties` are a cache behavior's, resolved. */
export function readBehavior(properties: JsonObject, sources: Sources): Behavior {
  const { stack, origins } = sources;
  const pathPattern = asString(properties.PathPattern, `${sources.where}: PathPattern`);
  const where = `${sources.where}, behavior ${pathPattern}`;
  assertSupportedProperties(properties, supportedProperties, where);
  const origin = origins.get(asString(properties.TargetOriginId, `${where}: TargetOriginId`));
  if (origin === undefined) throw new LocalGatewayError(`${where}: TargetOriginId is not an origin`);
  assertSupportedPolicies(properties, origin, where);
  return {
    pathPattern,
    allowedMethods: asArray(properties.AllowedMethods ?? ['GET', 'HEAD'], where).map(String),
    // The other cache policy has no encodings in its cache key, so CloudFront does not compress.
    compresses: properties.Compress === true && properties.CachePolicyId === cachingOptimized,
    viewerFunction: readViewerFunction(properties, stack, where),
    headersPolicy: findHeadersPolicy(properties, stack, where),
    origin,
  };
}

function assertSupportedPolicies(properties: JsonObject, origin: Origin, where: string): void {
  const { CachePolicyId: cachePolicy, OriginRequestPolicyId: originRequestPolicy } = properties;
  const isSupported =
    origin.kind === 'bucket'
      ? [cachingOptimized, cachingDisabled].includes(String(cachePolicy)) && originRequestPolicy === undefined
      : cachePolicy === cachingDisabled && originRequestPolicy === allViewerExceptHostHeader;
  if (isSupported) return;
  throw new LocalGatewayError(
    `${where}: the local run supports the managed policies CachingOptimized and CachingDisabled for a bucket, and CachingDisabled with AllViewerExceptHostHeader for the REST API`,
  );
}

function readViewerFunction(
  { FunctionAssociations }: JsonObject,
  stack: Sources['stack'],
  where: string,
): ViewerFunction | undefined {
  const [association, ...others] = asList(FunctionAssociations).map((value) => asObject(value, where));
  if (association === undefined) return undefined;
  if (others.length > 0 || association.EventType !== 'viewer-request') {
    throw new LocalGatewayError(`${where}: the local run supports a function for viewer requests only`);
  }
  const viewerFunction = resourcesOfType(stack.template, 'AWS::CloudFront::Function').find(
    ({ logicalId }) =>
      stack.resolve({ 'Fn::GetAtt': [logicalId, 'FunctionARN'] }) === association.FunctionARN,
  );
  if (viewerFunction === undefined) {
    throw new LocalGatewayError(`${where}: ${association.FunctionARN} is not a function of the template`);
  }
  return loadViewerFunction(stack.resolve(viewerFunction.properties), viewerFunction.logicalId);
}

function findHeadersPolicy(
  { ResponseHeadersPolicyId: policyId }: JsonObject,
  { template, resolve }: Sources['stack'],
  where: string,
): HeadersPolicy {
  if (policyId === undefined) return noHeadersPolicy;
  const policy = resourcesOfType(template, 'AWS::CloudFront::ResponseHeadersPolicy').find(
    ({ logicalId }) => logicalId === policyId,
  );
  if (policy === undefined) {
    throw new LocalGatewayError(`${where}: the local run supports only headers policies of the template`);
  }
  return readHeadersPolicy(resolve(policy.properties), policy.logicalId);
}
