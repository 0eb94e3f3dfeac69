/**
 * Replaces the origins that the distribution, managed login and the REST API have on AWS with the local ones. They occur
 * within strings, such as a callback URL, so that no reference alone could have the local value.
 */
import { asList, asObject, asString } from '../untyped-json.ts';
import { type References, resolveIntrinsics } from './intrinsics.ts';
import type { ReferenceSources } from './references.ts';
import { resourcesOfType } from './template.ts';

/** Returns a function that replaces the origins in all strings of a resolved value. */
export function createOriginReplacement(
  sources: ReferenceSources,
  references: References,
): (resolved: unknown) => unknown {
  const localOrigins = new Map<string, string>([
    ...distributionDomains(sources, references).map(
      (name) => [`https://${name}`, sources.dashboardOrigin] as const,
    ),
    ...signInDomains(sources, references).map((name) => [`https://${name}`, sources.signInOrigin] as const),
    ...restApiBaseUrls(sources, references).map((url) => [url, sources.restApiOrigin] as const),
    // A URL that is built from the domain of the function URL.
    [`https://${new URL(sources.functionUrlOrigin).host}`, sources.functionUrlOrigin],
  ]);
  const alternatives = [...localOrigins.keys()].map((origin) => RegExp.escape(origin)).join('|');
  const pattern = new RegExp(`(?:${alternatives})(?![\\w.:-])`, 'g');
  const replace = (text: string) => text.replace(pattern, (origin) => localOrigins.get(origin) ?? origin);
  return (resolved) => mapStrings(resolved, replace);
}

function distributionDomains({ template }: ReferenceSources, references: References): string[] {
  return resourcesOfType(template, 'AWS::CloudFront::Distribution').flatMap(({ logicalId, properties }) => {
    const { Aliases } = asObject(properties.DistributionConfig, `${logicalId}.DistributionConfig`);
    const aliases = asList(resolveIntrinsics(Aliases, references));
    return [references.attribute(logicalId, 'DomainName'), ...aliases].map((name) =>
      asString(name, logicalId),
    );
  });
}

function signInDomains({ template, region }: ReferenceSources, references: References): string[] {
  return resourcesOfType(template, 'AWS::Cognito::UserPoolDomain').map(({ logicalId, properties }) => {
    const domain = asString(references.ref(logicalId), logicalId);
    return properties.CustomDomainConfig === undefined
      ? `${domain}.auth.${region}.amazoncognito.com`
      : domain;
  });
}

function restApiBaseUrls({ template, region }: ReferenceSources, references: References): string[] {
  return resourcesOfType(template, 'AWS::ApiGateway::Stage').map(({ logicalId, properties }) => {
    const apiId = asString(resolveIntrinsics(properties.RestApiId, references), `${logicalId}.RestApiId`);
    return `https://${apiId}.execute-api.${region}.amazonaws.com/${properties.StageName}`;
  });
}

function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, mapStrings(field, map)]));
}
