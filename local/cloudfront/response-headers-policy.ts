/**
 * Emulates response headers policies.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/understanding-response-headers-policies.html
 */
import type { OutgoingHttpHeaders } from 'node:http';
import { assertSupportedProperties } from '../template/supported-properties.ts';
import { asList, asObject, asString, type JsonObject } from '../untyped-json.ts';

export interface HeadersPolicy {
  /** Header names in lower case. */
  removed: readonly string[];
  added: readonly { name: string; value: string; overridesOrigin: boolean }[];
}

export const noHeadersPolicy: HeadersPolicy = { removed: [], added: [] };

const supportedProperties = [
  'Comment',
  'CustomHeadersConfig',
  'Name',
  'RemoveHeadersConfig',
  'SecurityHeadersConfig',
];

/** Header and value of each entry of `SecurityHeadersConfig`. */
const securityHeaders: Record<
  string,
  (settings: JsonObject, where: string) => [name: string, value: string]
> = {
  ContentSecurityPolicy: ({ ContentSecurityPolicy }, where) => [
    'content-security-policy',
    asString(ContentSecurityPolicy, where),
  ],
  ContentTypeOptions: () => ['x-content-type-options', 'nosniff'],
  FrameOptions: ({ FrameOption }, where) => ['x-frame-options', asString(FrameOption, where)],
  ReferrerPolicy: ({ ReferrerPolicy }, where) => ['referrer-policy', asString(ReferrerPolicy, where)],
  StrictTransportSecurity: ({ AccessControlMaxAgeSec, IncludeSubdomains, Preload }) => [
    'strict-transport-security',
    [
      `max-age=${AccessControlMaxAgeSec}`,
      ...(IncludeSubdomains === true ? ['includeSubDomains'] : []),
      ...(Preload === true ? ['preload'] : []),
    ].join('; '),
  ],
};

/** `properties` are those of the resource, resolved. */
export function readHeadersPolicy(properties: unknown, logicalId: string): HeadersPolicy {
  const where = `${logicalId}.ResponseHeadersPolicyConfig`;
  const config = asObject(asObject(properties, logicalId).ResponseHeadersPolicyConfig, where);
  assertSupportedProperties(config, supportedProperties, where);
  const security = asObject(config.SecurityHeadersConfig ?? {}, where);
  assertSupportedProperties(security, Object.keys(securityHeaders), `${where}.SecurityHeadersConfig`);
  return {
    removed: itemsOf(config.RemoveHeadersConfig, where).map((item) => headerName(item, where)),
    added: [
      ...Object.entries(security).flatMap(([kind, value]) => {
        const settings = asObject(value, `${where}.${kind}`);
        const header = securityHeaders[kind]?.(settings, `${where}.${kind}`);
        if (header === undefined) return [];
        return [{ name: header[0], value: header[1], overridesOrigin: settings.Override === true }];
      }),
      ...itemsOf(config.CustomHeadersConfig, where).map((item) => ({
        name: headerName(item, where),
        value: asString(item.Value, `${where}: Value`),
        overridesOrigin: item.Override === true,
      })),
    ],
  };
}

function itemsOf(list: unknown, where: string): JsonObject[] {
  return asList(asObject(list ?? {}, where).Items).map((item) => asObject(item, where));
}

function headerName({ Header }: JsonObject, where: string): string {
  return asString(Header, `${where}: Header`).toLowerCase();
}

/** `headers` are the origin's, with names in lower case. */
export function applyHeadersPolicy(policy: HeadersPolicy, headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const result = { ...headers };
  for (const name of policy.removed) delete result[name];
  for (const { name, value, overridesOrigin } of policy.added) {
    if (overridesOrigin || result[name] === undefined) result[name] = value;
  }
  return result;
}
