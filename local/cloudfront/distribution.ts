/** Reads the template's CloudFront distribution. Throws for features that the local run does not emulate. */

import { LocalGatewayError } from '../local-gateway-error.ts';
import { matchesPattern } from '../permissions/policies.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { assertSupportedProperties } from '../template/supported-properties.ts';
import { resourcesOfType, type Template } from '../template/template.ts';
import { asArray, asObject, optionalString } from '../untyped-json.ts';
import { type Behavior, readBehavior } from './behavior.ts';
import { readOrigins } from './origins.ts';

export interface Distribution {
  /** The last one is the default behavior, whose pattern is `*`. */
  behaviors: readonly Behavior[];
  /** Object that is sent for `/`. */
  defaultRootObject: string | undefined;
}

const supportedProperties = [
  'Aliases',
  'CacheBehaviors',
  'Comment',
  'CustomErrorResponses',
  'DefaultCacheBehavior',
  'DefaultRootObject',
  'Enabled',
  'HttpVersion',
  'IPV6Enabled',
  'Origins',
  'PriceClass',
  'ViewerCertificate',
];

export function hasDistribution(template: Template): boolean {
  return resourcesOfType(template, 'AWS::CloudFront::Distribution').length > 0;
}

/** Reads the only distribution of the template. */
export function readDistribution(stack: Pick<LocalStack, 'template' | 'resolve'>): Distribution {
  const [resource, ...others] = resourcesOfType(stack.template, 'AWS::CloudFront::Distribution');
  if (resource === undefined || others.length > 0) {
    throw new LocalGatewayError('The local run emulates only one distribution');
  }
  const where = `${resource.logicalId}.DistributionConfig`;
  const config = asObject(stack.resolve(resource.properties.DistributionConfig), where);
  assertSupportedProperties(config, supportedProperties, where);
  // The local run caches no errors, so it needs no times. Pages for errors are not emulated.
  for (const value of asArray(config.CustomErrorResponses ?? [], `${where}.CustomErrorResponses`)) {
    const response = asObject(value, `${where}.CustomErrorResponses`);
    assertSupportedProperties(response, ['ErrorCode', 'ErrorCachingMinTTL'], `${where}.CustomErrorResponses`);
  }
  const origins = readOrigins(config.Origins, stack);
  const cacheBehaviors = asArray(config.CacheBehaviors ?? [], `${where}.CacheBehaviors`);
  const defaultBehavior = asObject(config.DefaultCacheBehavior, `${where}.DefaultCacheBehavior`);
  return {
    behaviors: [...cacheBehaviors, { ...defaultBehavior, PathPattern: '*' }].map((value) =>
      readBehavior(asObject(value, `${where}.CacheBehaviors`), { stack, origins, where }),
    ),
    defaultRootObject: optionalString(config.DefaultRootObject, `${where}.DefaultRootObject`),
  };
}

/**
 * Finds the behavior for a path without dot segments. The first match counts, in the order of the template. Patterns are
 * case-sensitive, and their first slash is optional.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/DownloadDistValuesCacheBehavior.html
 */
export function findBehavior({ behaviors }: Distribution, path: string): Behavior {
  const found = behaviors.find(({ pathPattern }) =>
    matchesPattern(pathPattern.startsWith('/') ? pathPattern : `/${pathPattern}`, path),
  );
  if (found === undefined) throw new Error(`No behavior matches ${path}`);
  return found;
}
